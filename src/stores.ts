import { constants, existsSync } from 'node:fs';
import type { BulkStore } from './domain/bulk/bulk-store.ts';
import { OperatorError, usageError } from './domain/error.ts';
import type { Store } from './domain/store.ts';
import type { ImportStore } from './domain/bulk/import-store.ts';
import type { Log } from './system/log.ts';
import type { Registry } from './metrics/registry.ts';
import type { MigrationOptions } from './system/migration.ts';
import { openSqliteStore } from './sqlite/open.ts';
import { explainRights, findStore, isFileOfStore } from './sqlite/opening/find.ts';

export interface Stores extends Store {
  /** True for a store in a file of this machine. */
  isEmbedded: boolean;
}

export interface StoreOptions extends MigrationOptions {
  /** Holds the variables that PostgreSQL's own tools read, such as PGPASSWORD. */
  environment: Record<string, string | undefined>;
  log?: Log;
  /** Where the store reports its figures. */
  metrics?: Registry | undefined;
}

/** Opens the store that a database URL names. What it needs is loaded here, so that a service starts fast. */
export async function openStores(databaseUrl: string, options: StoreOptions): Promise<Stores> {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) return { ...openSqliteStore({ ...options, ...location }), isEmbedded: true };
  const { openPostgresStore } = await import('./postgres/open.ts');
  return { ...(await openPostgresStore({ ...options, ...location })), isEmbedded: false };
}

/** Opens the same store to read or write it as a whole. */
export async function openBulkStore(
  databaseUrl: string,
  options: StoreOptions & { mayCreate: boolean },
): Promise<BulkStore> {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) {
    const { openSqliteBulk } = await import('./sqlite/maintenance/bulk.ts');
    return openSqliteBulk({ ...options, ...location });
  }
  const { openPostgresBulk } = await import('./postgres/maintenance/bulk.ts');
  return openPostgresBulk({ ...options, ...location });
}

/** Opens the same store to add many pets at once. */
export async function openImportStore(databaseUrl: string, options: StoreOptions): Promise<ImportStore> {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) {
    const { openSqliteImport } = await import('./sqlite/maintenance/import.ts');
    return openSqliteImport({ ...options, ...location });
  }
  const { openPostgresImport } = await import('./postgres/maintenance/import.ts');
  return openPostgresImport({ ...options, ...location });
}

/** For commands that have no use for a new store: a mistyped path creates none. */
export function refuseMissingStore(databaseUrl: string): void {
  const location = parseDatabaseUrl(databaseUrl);
  if (!('path' in location)) return;
  // A store in a folder that this user may not enter is not missing.
  const rights = explainRights(location.path, constants.F_OK);
  if (rights) throw rights;
  if (existsSync(location.path) || findStore(location.path)) return;
  throw new OperatorError(`There is no store at ${location.path}.`, 'Name it with --database-url.');
}

/** The hosts and the database of an address that is well-formed. Any part of another may be a password. */
const publicPart = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*(?:\/[^/?#@]*)?)(?:\?[^#@]*)?$/;

/** What a store is called in results and logs: its path, or its address without user, password and parameters. */
export function storeOf(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) return location.path;
  return `postgres://${publicPart.exec(location.address)?.[1] ?? '…'}`;
}

/** For commands that work on embedded stores alone. */
export function embeddedPath(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) return location.path;
  throw new OperatorError(
    'This command works on embedded stores only.',
    'Use the tools of the database server, such as pg_dump.',
  );
}

/** Whether two URLs name the same embedded store, however they are spelled. */
export function isSameStore(one: string, other: string): boolean {
  const [left, right] = [parseDatabaseUrl(one), parseDatabaseUrl(other)];
  return 'path' in left && 'path' in right && isFileOfStore(left.path, right.path);
}

/** For commands that read or write another file. */
export function refuseFileOfStore(databaseUrl: string, file: string): void {
  const location = parseDatabaseUrl(databaseUrl);
  if (!('path' in location) || !isFileOfStore(location.path, file)) return;
  throw usageError(`${file} belongs to the store ${location.path}.`, 'Name another file.');
}

export function parseDatabaseUrl(databaseUrl: string): { path: string } | { address: string } {
  if (/^(?:sqlite:)?:memory:$/.test(databaseUrl)) {
    throw usageError('--database-url (DATABASE_URL) must name a file, such as data/petstore.db, not memory.');
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl) ?? [];
  switch (scheme) {
    case undefined:
      return { path: refuseFolder(databaseUrl) };
    case 'sqlite':
      return { path: refuseFolder(sqlitePath(databaseUrl)) };
    case 'postgres':
    case 'postgresql':
      return { address: databaseUrl };
    default:
      throw usageError(
        `--database-url (DATABASE_URL) must be a file path, a sqlite: or a postgres: address, not a ${scheme}: address.`,
      );
  }
}

function refuseFolder(path: string): string {
  if (!path.endsWith('/')) return path;
  throw usageError(`${path} is a folder.`, `Name a file in it: --database-url ${path}petstore.db`);
}

/** `sqlite:data/shop.db`, `sqlite:/var/lib/shop.db` and `sqlite:///var/lib/shop.db`. */
function sqlitePath(address: string): string {
  const path = address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path !== '' && !path.startsWith('//')) return path;
  throw usageError('--database-url (DATABASE_URL) must name a file, such as sqlite:data/petstore.db.');
}
