import { existsSync } from 'node:fs';
import type { ApiKeyStore } from './api-key.ts';
import type { BulkStore } from './bulk-store.ts';
import { OperatorError, usageError } from './error.ts';
import type { ImportStore } from './import-store.ts';
import type { Log } from './log.ts';
import type { PetStore } from './pet.ts';
import { openSqliteBulk } from './sqlite/bulk.ts';
import { openSqliteImport } from './sqlite/import.ts';
import { openSqliteStore } from './sqlite/open.ts';
import { isFileOfStore } from './sqlite/opening/store-file.ts';

export interface Stores {
  pets: PetStore;
  keys: ApiKeyStore;
  /** True for the store that lives in a file of this machine. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

/** Opens the store that a `DATABASE_URL` names. */
export async function openStores(databaseUrl: string, log?: Log): Promise<Stores> {
  const place = parsePlace(databaseUrl);
  if ('path' in place) return { ...openSqliteStore({ ...place, log }), isEmbedded: true };
  // Loaded when it is needed: a service on an embedded store starts without the driver.
  const { openPostgresStore } = await import('./postgres/open.ts');
  const options = { ...place, environment: process.env, ...(log && { log }) };
  return { ...(await openPostgresStore(options)), isEmbedded: false };
}

/** For commands that have nothing to do in a new store: a mistyped path makes none. */
export function refuseMissing(databaseUrl: string): void {
  const place = parsePlace(databaseUrl);
  if (!('path' in place) || existsSync(place.path)) return;
  throw new OperatorError(`There is no store at ${place.path}. Name it with --database-url.`);
}

/** Opens the same store for reading or writing it as a whole. */
export async function openBulkStore(databaseUrl: string, mayCreate: boolean): Promise<BulkStore> {
  const place = parsePlace(databaseUrl);
  if ('path' in place) return openSqliteBulk({ ...place, mayCreate });
  const { openPostgresBulk } = await import('./postgres/bulk.ts');
  return openPostgresBulk({ ...place, environment: process.env, mayCreate });
}

/** Opens the same store for adding many pets at once. */
export async function openImportStore(databaseUrl: string): Promise<ImportStore> {
  const place = parsePlace(databaseUrl);
  if ('path' in place) return openSqliteImport(place);
  const { openPostgresImport } = await import('./postgres/import.ts');
  return openPostgresImport({ ...place, environment: process.env });
}

/** Whether two places are one embedded store, however they are spelled. */
export function isSameStore(one: string, other: string): boolean {
  const [left, right] = [parsePlace(one), parsePlace(other)];
  return 'path' in left && 'path' in right && isFileOfStore(left.path, right.path);
}

/** For commands that read or write a file of their own. */
export function refuseFileOfStore(databaseUrl: string, file: string): void {
  const place = parsePlace(databaseUrl);
  if (!('path' in place) || !isFileOfStore(place.path, file)) return;
  throw usageError(`${file} belongs to the store ${place.path}. Name another file.`);
}

export function parsePlace(databaseUrl: string): { path: string } | { address: string } {
  if (/^(?:sqlite:)?:memory:$/.test(databaseUrl))
    throw usageError('A store is kept in a file, not in memory. Name one, such as data/petstore.db.');
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
        `DATABASE_URL must be a file path, a sqlite: or a postgres: address, not a ${scheme}: address.`,
      );
  }
}

function refuseFolder(path: string): string {
  if (!path.endsWith('/')) return path;
  throw usageError(`${path} is a folder. Name a file in it: --database-url ${path}petstore.db`);
}

/** `sqlite:data/shop.db`, `sqlite:/var/lib/shop.db` and `sqlite:///var/lib/shop.db`. */
function sqlitePath(address: string): string {
  const path = address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//'))
    throw usageError('A sqlite: address names a file, such as sqlite:data/petstore.db.');
  return path;
}
