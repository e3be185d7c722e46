import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/sqlite/open.ts';
import type { Store } from './http/service.ts';

/** Where a store lives: it can be closed and opened again, or opened twice. */
export interface StorePlace extends AsyncDisposable {
  open(options?: { now?: () => number }): Promise<Store>;
  /** Every byte that the store has written so far. */
  readAll(): Promise<Buffer>;
}

export interface SqlitePlace extends StorePlace {
  path: string;
}

/** A place of the kind that every test of the API uses. */
export const makeStorePlace: () => Promise<StorePlace> =
  process.env['TEST_STORE'] === undefined
    ? makeSqlitePlace
    : async () => (await import('./postgres/place.ts')).makePostgresPlace();

export async function makeSqlitePlace(): Promise<SqlitePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-'));
  const path = join(folder, 'petstore.db');
  return {
    path,
    open: async (options = {}) => openSqliteStore({ path, ...options }),
    async readAll() {
      const names = [...new Bun.Glob('*').scanSync(folder)];
      return Buffer.concat(await Promise.all(names.map((name) => Bun.file(join(folder, name)).bytes())));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
