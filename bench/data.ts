import { Database } from 'bun:sqlite';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
} from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, hashKey, type NewApiKey } from '../src/api-key.ts';
import type { NewPet } from '../src/pet.ts';
import { openSqliteImport } from '../src/sqlite/import.ts';
import { openSqliteStore } from '../src/sqlite/open.ts';

/** Made once and kept between runs; remove the folder to make the data anew. */
export const cacheFolder = join(tmpdir(), 'petstore-bench');

/** A key as `petstore keys create` makes it, and the same in every run. */
export const apiKey = generateKey((count) => new Uint8Array(count).map((_, index) => index * 7 + 11));

export function newApiKey(): NewApiKey {
  return { name: 'bench', hash: hashKey(apiKey), lastFour: apiKey.slice(-4), createdAt: new Date() };
}

/** The pets as SQL over a counter n: the same on every store. Of ten, one has no status. */
export const petColumns = {
  name: "'Pet ' || n",
  categoryId: 'n % 50',
  status:
    "CASE WHEN n % 10 < 6 THEN 'available' WHEN n % 10 < 8 THEN 'pending' WHEN n % 10 = 8 THEN 'sold' END",
};

const batchSize = 20_000;

/** A file of the service with this many pets and the key, filled as `petstore import` fills it. */
export function serviceTemplate(pets: number, folder = cacheFolder): Promise<string> {
  return makeOnce(folder, `service-${pets}`, 'db', async (path) => {
    const store = openSqliteStore({ path });
    await store.keys.createKey(newApiKey());
    await store.close();
    const bulk = openSqliteImport({ path });
    for (let first = 1; first <= pets; first += batchSize) {
      const count = Math.min(batchSize, pets - first + 1);
      await bulk.addPets(Array.from({ length: count }, (_, index) => petOf(first + index)));
    }
    await bulk.close();
    // The file alone is copied, so all has to be in it.
    const database = new Database(path);
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    for (const rest of ['-wal', '-shm']) await rm(`${path}${rest}`, { force: true });
  });
}

/** The same pets in a plain table, as the peers' guides have it: a column for each field, an index for the status. */
export function peerTemplate(pets: number, folder = cacheFolder): Promise<string> {
  return makeOnce(folder, `peers-${pets}`, 'db', async (path) => {
    const database = new Database(path);
    database.run('PRAGMA journal_mode = WAL');
    database.run(`
      CREATE TABLE pets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        category_id INTEGER NOT NULL,
        status TEXT CHECK (status IN ('available', 'pending', 'sold'))
      ) STRICT;
      CREATE INDEX pets_by_status ON pets (status, id);
      INSERT INTO pets (name, category_id, status)
      WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter LIMIT ${pets})
      SELECT ${petColumns.name}, ${petColumns.categoryId}, ${petColumns.status} FROM counter`);
    database.close();
  });
}

/** json-server keeps everything in one JSON file. */
export function jsonTemplate(petCount: number, folder = cacheFolder): Promise<string> {
  return makeOnce(folder, `json-server-${petCount}`, 'json', async (path) => {
    const pets = Array.from({ length: petCount }, (_, index) => {
      const { categoryId, ...pet } = petOf(index + 1);
      return { id: index + 1, ...pet, categoryId: Number(categoryId) };
    });
    await Bun.write(path, JSON.stringify({ pets }));
  });
}

/** The same as {@link petColumns}. */
function petOf(number: number): NewPet {
  const digit = number % 10;
  const status = digit < 6 ? 'available' : digit < 8 ? 'pending' : 'sold';
  return {
    name: `Pet ${number}`,
    categoryId: BigInt(number % 50),
    ...(digit < 9 && { status }),
  };
}

/** Kept under a name that changes with the schema and with what is put into it; what has another one is out of date. */
export async function makeOnce(
  folder: string,
  name: string,
  extension: string,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const path = join(folder, `${name}-${await version}.${extension}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) {
    if (old.startsWith(`${name}-`)) await rm(join(folder, old), { recursive: true, force: true });
  }
  const unfinished = `${path}.${process.pid}`;
  await make(unfinished);
  syncFile(unfinished);
  renameSync(unfinished, path);
  return path;
}

/** A copy on the disk, so that writing it out does not disturb the measurement that follows. */
export async function copyForRound(template: string, target: string): Promise<void> {
  // Where the file system can, a copy shares its blocks until they are written.
  await cp(template, target, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const isFolder = statSync(target).isDirectory();
  const files = isFolder ? readdirSync(target).map((name) => join(target, name)) : [target];
  for (const file of files) syncFile(file);
}

/**
 * Changes with the schema and with what is put into it, so that old data is never measured. Worked out once: a
 * source that is edited during a run changes nothing for it.
 */
const version = Promise.all(
  ['../src/sqlite/migrate.ts', '../src/sqlite/stored-pet.ts', 'data.ts', 'pocketbase.ts'].map((path) =>
    readFile(join(import.meta.dir, path), 'utf8'),
  ),
).then((texts) => Bun.hash(texts.join('')).toString(36).slice(0, 8));

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
