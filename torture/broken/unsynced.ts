import { breakSql } from './layers.ts';

/** Commits are left to the memory of the operating system. */
breakSql(import.meta.path, {
  rewrite: (sql) => sql.replace(/(PRAGMA synchronous) *= *\w+/i, '$1 = OFF'),
});
