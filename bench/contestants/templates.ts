import { Database } from 'bun:sqlite';
import { closeSync, constants, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../load/processes.ts';

const chunkLength = 1 << 20;

export interface BenchPet {
  id: number;
  name: string;
  categoryId: number;
  status?: 'available' | 'pending' | 'sold';
}

/** The same pets on every store. One in ten has no status. */
export function* petsUpTo(count: number): Generator<BenchPet> {
  for (let id = 1; id <= count; id++) {
    const digit = id % 10;
    const status = digit < 6 ? 'available' : digit < 8 ? 'pending' : 'sold';
    yield { id, name: `Pet ${id}`, categoryId: id % 50, ...(digit < 9 && { status }) };
  }
}

/** Fills an empty store through the command line, as a user would, and returns the API key that it made. */
export async function fillStore(place: string, pets: number, checkout: string): Promise<string> {
  const petstore = (...args: string[]): string[] => [
    ...[process.execPath, join(checkout, 'src/cli/petstore.ts'), ...args],
    ...['--database-url', place],
  ];
  await run(petstore('import'), { stdin: new Response(linesOf(pets)) });
  const created = await run(petstore('keys', 'create', '--name', 'bench', '--json'));
  return (JSON.parse(created) as { key: string }).key;
}

export async function makeServiceStore(path: string, pets: number, checkout: string): Promise<string> {
  const key = await fillStore(path, pets, checkout);
  // Only this file is copied, so everything has to be in it.
  using database = new Database(path);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  return key;
}

/** A plain table, as the peers' guides have it: a column for each field, an index for the status. */
export function makePeerStore(path: string, pets: number): void {
  using database = new Database(path);
  database.run('PRAGMA journal_mode = WAL');
  database.run(`
    CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT;
    CREATE INDEX pets_by_status ON pets (status, id)`);
  const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  database.transaction(() => {
    for (const { name, categoryId, status } of petsUpTo(pets)) insert.run(name, categoryId, status ?? null);
  })();
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Copies to the disk itself, so that writing it out does not disturb the measurement that follows. */
export async function copyToDisk(template: string, target: string): Promise<void> {
  // Where the file system can, a copy shares its blocks until they are written.
  await cp(template, target, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const isFolder = statSync(target).isDirectory();
  const files = isFolder ? readdirSync(target).map((name) => join(target, name)) : [target];
  for (const file of files) {
    const descriptor = openSync(file, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

export async function removeStore(place: string): Promise<void> {
  for (const rest of ['', '-wal', '-shm']) await rm(`${place}${rest}`, { recursive: true, force: true });
}

/** The pets as NDJSON, in chunks. */
async function* linesOf(pets: number): AsyncGenerator<Uint8Array> {
  let chunk = '';
  for (const { name, categoryId, status } of petsUpTo(pets)) {
    chunk += `${JSON.stringify({ name, categoryId, status })}\n`;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}
