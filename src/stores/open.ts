import { OperatorError, usageError } from '../domain/error.ts';
import type { CheckedStore, CheckOptions } from './check.ts';
import type { StoreTables } from './copy.ts';
import type { MakeOptions, StoreOptions } from './create-store.ts';
import { checkSqlite } from './sqlite/maintenance/check.ts';
import { openSqliteStore, openSqliteTables } from './sqlite/open.ts';
import type { Store } from './store.ts';

/** The store behind a database URL. */
export interface StoreLocation {
  /** For results and logs: the path, or the address without user, password and parameters. */
  name: string;
  /** The file of an embedded store; undefined for PostgreSQL. */
  path?: string;
  /** Opens the store to serve it. */
  open(options: StoreOptions): Promise<Store>;
  /** Opens the store to read or write all of it. */
  openTables(options: MakeOptions & { mayCreate: boolean }): Promise<StoreTables>;
  /** Reads all of the store as a start would find it. Fails where a start would, or at the first damaged row. */
  check(options: CheckOptions): Promise<CheckedStore>;
}

export function storeAt(databaseUrl: string): StoreLocation {
  if (/^(?:sqlite:)?:memory:$/.test(databaseUrl)) {
    throw usageError('--database-url (DATABASE_URL) must name a file, such as data/petstore.db, not memory.');
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl) ?? [];
  switch (scheme) {
    case undefined:
      return embeddedStore(refuseFolder(databaseUrl));
    case 'sqlite':
      return embeddedStore(refuseFolder(sqlitePath(databaseUrl)));
    case 'postgres':
    case 'postgresql':
      return postgresStore(databaseUrl);
    default:
      throw usageError(
        `--database-url (DATABASE_URL) must be a file path, a sqlite: or a postgres: address, not a ${scheme}: address.`,
      );
  }
}

function embeddedStore(path: string): StoreLocation {
  return {
    name: path,
    path,
    open: async (options) => openSqliteStore({ ...options, path }),
    openTables: (options) => openSqliteTables({ ...options, path }),
    check: (options) => checkSqlite({ ...options, path }),
  };
}

/** The host and database of a well-formed address. In a malformed one, any part may be a password. */
const publicPart = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*(?:\/[^/?#@]*)?)(?:\?[^#@]*)?$/;

function postgresStore(address: string): StoreLocation {
  // A service on SQLite does not load the driver.
  const load = () => import('./postgres/open.ts');
  return {
    name: `postgres://${publicPart.exec(address)?.[1] ?? '…'}`,
    open: async (options) => (await load()).openPostgresStore({ ...options, address }),
    openTables: async (options) => (await load()).openPostgresTables({ ...options, address }),
    check: async (options) => (await load()).checkPostgres({ ...options, address }),
  };
}

/** For commands that support only embedded stores. */
export function embeddedPath(databaseUrl: string): string {
  const { path } = storeAt(databaseUrl);
  if (path !== undefined) return path;
  throw new OperatorError(
    'This command works on embedded stores only.',
    'Use the tools of the database server, such as pg_dump.',
  );
}

function refuseFolder(path: string): string {
  if (!path.endsWith('/')) return path;
  throw usageError(`${path} is a folder.`, `Name a file in it: --database-url ${path}petstore.db`);
}

/** Accepts `sqlite:data/shop.db`, `sqlite:/var/lib/shop.db` and `sqlite:///var/lib/shop.db`. */
function sqlitePath(address: string): string {
  const path = address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path !== '' && !path.startsWith('//')) return path;
  throw usageError('--database-url (DATABASE_URL) must name a file, such as sqlite:data/petstore.db.');
}
