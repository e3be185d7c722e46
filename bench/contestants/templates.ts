import { Database } from 'bun:sqlite';
import { constants, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../load/processes.ts';

/** The same pets on every store. One in ten has no status. */
function* petsUpTo(count: number) {
  const statuses = [...Array(6).fill('available'), 'pending', 'pending', 'sold'] as string[];
  for (let id = 1; id <= count; id++)
    yield { id, name: `Pet ${id}`, categoryId: id % 50, status: statuses[id % 10] };
}

/** Fills an empty store through the command line, as a user would, and returns the API key that it made. */
export async function fillStore(place: string, pets: number, checkout: string): Promise<string> {
  const program = [process.execPath, join(checkout, 'src/cli/petstore.ts')];
  const store = ['--database-url', place];
  await run([...program, 'import', ...store], { stdin: new Response(linesOf(pets)) });
  const created = await run([...program, 'keys', 'create', '--name', 'bench', '--json', ...store]);
  return (JSON.parse(created) as { key: string }).key;
}

/** The pets as NDJSON, in chunks. */
async function* linesOf(pets: number): AsyncGenerator<Uint8Array> {
  let chunk = '';
  for (const { id, name, categoryId, status } of petsUpTo(pets)) {
    chunk += `${JSON.stringify({ name, categoryId, status })}\n`;
    if (id % 10_000 !== 0 && id !== pets) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
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
  const insert = database.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)');
  database.transaction(() => {
    for (const { id, name, categoryId, status } of petsUpTo(pets))
      insert.run(id, name, categoryId, status ?? null);
  })();
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Copies to the disk itself, so that writing it out does not disturb the measurement that follows. */
export async function copyToDisk(template: string, target: string): Promise<void> {
  // Where the file system can, a copy shares its blocks until they are written.
  await cp(template, target, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await run(['sync', '--file-system', target]);
}
