import { Database } from 'bun:sqlite';
import { constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSamplePets } from '../../../../src/domain/sample-pets.ts';
import { migrate } from '../../../../src/sqlite/migrate.ts';
import { openSqliteStore, type SqliteStore } from '../../../../src/sqlite/open.ts';
import { createInsert } from '../../../../src/sqlite/maintenance/import.ts';
import { makeTemporaryFolder, removeFolder } from '../../../../src/system/temporary-folder.ts';

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

export function openSeededStore(options: SeededStoreOptions): SeededStore {
  const folder = makeTemporaryFolder('sandbox');
  const path = join(folder, 'petstore.db');
  const seeded = join(folder, 'seeded.db');
  let restorer: Restorer | undefined;
  try {
    makeSeeded(seeded, options);
    copyFileSync(seeded, path, constants.COPYFILE_FICLONE);
    const store = openSqliteStore({ path, recordsOrders: options.recordsOrders });
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

/** Makes the file without a single sync of the disk, which would take most of a start: no sandbox outlives a power cut. */
function makeSeeded(path: string, { seed, count }: SeededStoreOptions): void {
  using database = connect(path, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database);
  const insert = createInsert(database);
  database.transaction(() => insert(Array.from({ length: count }, createSamplePets(seed))))();
}

function connect(path: string, options: { create: boolean }): Database {
  const database = new Database(path, { readwrite: true, strict: true, ...options });
  database.run('PRAGMA busy_timeout = 5000');
  database.run('PRAGMA synchronous = OFF');
  return database;
}

interface Restorer {
  restore: () => void;
  close(): void;
}

/** Copies the content of every table from the seeded store, in one transaction. The serving store notices the commit. */
function openRestorer(path: string, seeded: string): Restorer {
  const database = connect(path, { create: false });
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
  return { restore: () => restore.immediate(), close: () => database.close() };
}
