import { Database } from 'bun:sqlite';
import { constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSamplePets } from '../sample-pets.ts';
import { openSqliteStore, type SqliteStore } from '../sqlite/open.ts';
import { openSqliteImport } from '../sqlite/tools/import.ts';
import { makeSandboxFolder, removeFolder } from './folder.ts';

export interface SeededStoreOptions {
  /** Where the random numbers of the sample pets start. */
  seed: number;
  /** How many sample pets the store holds. */
  count: number;
  recordsOrders: boolean;
}

/** A store in a temporary folder, which `close` removes. */
export interface SeededStore extends SqliteStore {
  /** Back to the sample pets: ids, idempotency keys and orders included. */
  reset(): void;
}

export async function openSeededStore({
  seed,
  count,
  recordsOrders,
}: SeededStoreOptions): Promise<SeededStore> {
  const folder = makeSandboxFolder();
  const path = join(folder, 'petstore.db');
  const seeded = join(folder, 'seeded.db');
  let restorer: Restorer | undefined;
  try {
    await addSamplePets(path, seed, count);
    copyFileSync(path, seeded, constants.COPYFILE_FICLONE);
    const store = openSqliteStore({ path, recordsOrders });
    return {
      ...store,
      reset() {
        restorer ??= openRestorer(path, seeded);
        restorer.restore();
      },
      async close() {
        restorer?.close();
        await store.close();
        removeFolder(folder);
      },
    };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

const batchSize = 1000;

async function addSamplePets(path: string, seed: number, count: number): Promise<void> {
  const store = openSqliteImport({ path });
  const makePet = createSamplePets(seed);
  for (let done = 0; done < count; done += batchSize) {
    await store.addPets(Array.from({ length: Math.min(batchSize, count - done) }, makePet));
  }
  await store.close();
}

interface Restorer {
  restore: () => void;
  close(): void;
}

/** Copies the content of every table from the seeded store, in one transaction. The serving store notices the commit. */
function openRestorer(path: string, seeded: string): Restorer {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  database.run('PRAGMA busy_timeout = 5000');
  // A sandbox need not survive a power cut.
  database.run('PRAGMA synchronous = OFF');
  database.query('ATTACH ?1 AS seeded').run(seeded);
  const tables = database
    // The table of the last ids comes last, because inserting rows changes it.
    .query<{ name: string }, []>(
      "SELECT name FROM seeded.sqlite_schema WHERE type = 'table' ORDER BY name LIKE 'sqlite_%'",
    )
    .all();
  const statements = tables.flatMap(({ name }) => [
    database.query(`DELETE FROM main.${name}`),
    database.query(`INSERT INTO main.${name} SELECT * FROM seeded.${name}`),
  ]);
  const restore = database.transaction(() => {
    for (const statement of statements) statement.run();
  });
  return { restore: () => void restore.immediate(), close: () => database.close() };
}
