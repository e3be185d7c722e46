import { Database } from 'bun:sqlite';
import { constants, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { endFamily, run, started } from '../load/processes.ts';

const statuses = [...Array(6).fill('available'), 'pending', 'pending', 'sold'] as string[];

/** The same pets on every store. One in ten has no status. */
function* petsUpTo(count: number) {
  for (let id = 1; id <= count; id++)
    yield { id, name: `Pet ${id}`, categoryId: id % 50, status: statuses[id % 10] };
}

const createsAtOnce = 64;

/** Fills an empty store by the same requests for every checkout, and returns the API key that it made. */
export async function fillStore(place: string, pets: number, checkout: string): Promise<string> {
  const program = [process.execPath, join(checkout, 'src/cli/petstore.ts')];
  const store = ['--database-url', place];
  const created = await run([...program, 'keys', 'create', '--name', 'bench', '--json', ...store]);
  const { key } = JSON.parse(created) as { key: string };
  const port = String(await freePort());
  const { PATH, HOME } = process.env;
  const service = started(
    Bun.spawn([...program, 'serve', '--port', port, ...store], {
      env: { PATH, HOME, STOP_DELAY: '0' },
      stdio: ['ignore', 'ignore', 'ignore'],
    }),
  );
  try {
    await run([...program, 'health', '--port', port, '--wait', '60s']);
    await createPets(`http://127.0.0.1:${port}/v1/pets`, key, petsUpTo(pets));
    service.kill();
    if ((await service.exited) !== 0)
      throw new Error('The service that filled the store did not stop cleanly.');
    return key;
  } finally {
    endFamily(service);
  }
}

async function createPets(url: string, key: string, pets: ReturnType<typeof petsUpTo>): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const create = async (): Promise<void> => {
    for (const { name, categoryId, status } of pets) {
      const body = JSON.stringify({ name, categoryId, status });
      const response = await fetch(url, { method: 'POST', headers, body });
      if (response.status !== 201)
        throw new Error(`A create responded ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: createsAtOnce }, create));
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

/** The same on PostgreSQL. */
export function peerTables(pets: number): string {
  return `
    CREATE SEQUENCE pet_ids;
    CREATE TABLE pets (
      id bigint PRIMARY KEY,
      name text NOT NULL,
      category_id bigint NOT NULL,
      status text CHECK (status IN ('available', 'pending', 'sold'))
    );
    INSERT INTO pets SELECT n, 'Pet ' || n, n % 50, (ARRAY['${statuses.join("', '")}'])[n % 10 + 1]
      FROM generate_series(1, ${pets}) AS n;
    CREATE INDEX pets_by_status ON pets (status, id);
    SELECT setval('pet_ids', ${pets})`;
}
