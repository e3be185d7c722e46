declare module 'pgpass' {
  /** Looks a password up in the file that libpq would read: `PGPASSFILE` or `~/.pgpass`. */
  function pgpass(connection: unknown, callback: (password: string | undefined) => void): void;
  export = pgpass;
}
