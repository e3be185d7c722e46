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
import { openSqliteStore } from '../src/sqlite/open.ts';

/** Made once and kept between runs; remove the folder to make the data anew. */
export const cacheFolder = join(tmpdir(), 'petstore-bench');

/** A key as `petstore keys create` makes it, and the same in every run. */
export const apiKey = generateKey((count) => new Uint8Array(count).map((_, index) => index * 7 + 11));

export function newApiKey(): NewApiKey {
  return { name: 'bench', hash: hashKey(apiKey), lastFour: apiKey.slice(-4), createdAt: new Date() };
}

/** The animals as SQL over a counter n: the same on every store. Of ten, one has no status. */
export const animalColumns = {
  name: "'Animal ' || n",
  categoryId: 'n % 50',
  status:
    "CASE WHEN n % 10 < 6 THEN 'available' WHEN n % 10 < 8 THEN 'pending' WHEN n % 10 = 8 THEN 'sold' END",
};

/** A file of the service with this many animals and the key; the peers use copies of it too. */
export async function sqliteTemplate(animals: number, folder = cacheFolder): Promise<string> {
  const version = await versionOfData();
  const path = join(folder, `pets-${animals}-${version}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const store = openSqliteStore({ path: unfinished });
  await store.keys.createKey(newApiKey());
  await store.close();
  const database = new Database(unfinished);
  // Nobody minds if this is lost half-way; the finished file is synced below.
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA cache_size = -200000');
  database.run(`
    INSERT INTO pets (name, category_id, status)
    WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter LIMIT ${animals})
    SELECT ${animalColumns.name}, ${animalColumns.categoryId}, ${animalColumns.status} FROM counter`);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  await rm(`${unfinished}-wal`, { force: true });
  await rm(`${unfinished}-shm`, { force: true });
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

/** json-server keeps everything in one JSON file. */
export async function jsonTemplate(animals: number): Promise<string> {
  const path = join(cacheFolder, `pets-${animals}-${await versionOfData()}.json`);
  if (existsSync(path)) return path;
  const database = new Database(await sqliteTemplate(animals));
  const pets = database.query('SELECT id, name, category_id AS categoryId, status FROM pets').all();
  database.close();
  await Bun.write(path, JSON.stringify({ pets }));
  return path;
}

/** Changes with the schema and with what is put into it, so that old data is never measured. */
async function versionOfData(): Promise<string> {
  const sources = [join(import.meta.dir, '../src/sqlite/migrate.ts'), import.meta.path];
  const texts = await Promise.all(sources.map((source) => readFile(source, 'utf8')));
  return Bun.hash(texts.join('')).toString(36).slice(0, 8);
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
