import { Database } from 'bun:sqlite';
import { constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSamplePets, openSqliteStore, sampleCategories, type Store } from 'petstore-server/embed';
import { fillStore } from './fill-store.ts';

/** A store in a temporary folder, which `close` removes. */
export interface SeededStore extends Store {
  /** Restores the sample pets, with their ids, idempotency keys and orders. */
  reset(): void;
}

export interface SampleOptions {
  /** The seed of the random numbers. */
  seed: number;
  /** How many sample pets the store holds. */
  count: number;
}

export async function openSeededStore(options: SampleOptions): Promise<SeededStore> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sandbox-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, 'petstore.db');
  const seeded = join(folder, 'seeded.db');
  let restorer: Restorer | undefined;
  try {
    await makeSampleStore(seeded, options);
    copyFileSync(seeded, path, constants.COPYFILE_FICLONE);
    const store = openSqliteStore({ path });
    return {
      ...store,
      reset() {
        restorer ??= openRestorer(path, seeded);
        restorer.restore();
        // The serving store asks for commits of others at most once a millisecond.
        Bun.sleepSync(2);
      },
      async close() {
        restorer?.close();
        await store.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function makeSampleStore(path: string, { seed, count }: SampleOptions): Promise<void> {
  const store = openSqliteStore({ path });
  await Promise.all(
    sampleCategories.map((category) => store.pets.apply({ kind: 'put-category', ...category })),
  );
  await fillStore(store, Array.from({ length: count }, createSamplePets(seed)));
  await store.close();
}

interface Restorer {
  restore: () => void;
  close(): void;
}

/** Copies every table from the seeded store in one transaction. The serving store notices the commit. */
function openRestorer(path: string, seeded: string): Restorer {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run('PRAGMA busy_timeout = 5000');
  database.run('PRAGMA synchronous = OFF');
  database.query('ATTACH ?1 AS seeded').run(seeded);
  const tables = database
    // The table of last ids comes last, because inserting rows changes it.
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
    // Start another log: a cursor from before the reset cannot be continued.
    database.run('UPDATE main.event_log SET epoch = lower(hex(randomblob(8)))');
  });
  return { restore: () => restore.immediate(), close: () => database.close() };
}
