declare module 'pgpass' {
  interface ConnectionInfo {
    host: string;
    port: number;
    database: string;
    user: string;
  }

  /** Looks a password up in the file that libpq would read: `PGPASSFILE` or `~/.pgpass`. */
  function pgpass(connection: ConnectionInfo, callback: (password: string | undefined) => void): void;
  export = pgpass;
}
