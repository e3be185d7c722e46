declare module 'pgpass' {
  /** Looks up a password in the file that libpq would read: `PGPASSFILE` or `~/.pgpass`. */
  function pgpass(connection: unknown, callback: (password: string | undefined) => void): void;
  export = pgpass;
}
