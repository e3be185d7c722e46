#!/usr/bin/env bun
/**
 * Makes stores as one release leaves them, for the tests of the upgrade:
 * `bun scripts/make-release-fixture.ts CHECKOUT FOLDER POSTGRES_URL`. The checkout is that of the release, with its
 * packages installed; the database is empty, and `pg_dump` must know its server.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '../test/support/process/collect.ts';

const [checkout, folder, postgresUrl] = process.argv.slice(2);
if (!checkout || !folder || !postgresUrl)
  throw new Error('Usage: make-release-fixture CHECKOUT FOLDER POSTGRES_URL');
const bun = join(checkout, 'node_modules/.bin/bun');
const program = join(checkout, 'src/cli/petstore.ts');

const names = [
  'Rex',
  '',
  'NULL',
  '"',
  '\\',
  "'; DROP TABLE pets; --",
  '\u2028',
  '🐕‍🦺',
  'e\u0301',
  ' \t\n',
  '\u{10ffff}',
];
const categories = ['0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'];
const statuses = [undefined, 'available', 'pending', 'sold'];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const stopped = join(folder, 'stopped.db');
const killed = join(folder, 'killed.db');
await Bun.write(
  join(folder, 'expected.json'),
  `${JSON.stringify({ stopped: await fill(stopped, 'SIGTERM'), killed: await fill(killed, 'SIGKILL'), postgres: await fill(postgresUrl, 'SIGTERM') }, null, 2)}\n`,
);
// A clean stop leaves an empty log; a kill, the newest commits in it. The shared memory does not outlive the machine.
rmSync(`${stopped}-wal`);
for (const path of [stopped, killed]) rmSync(`${path}-shm`);
const dump = await Bun.$`pg_dump --inserts --no-owner --no-privileges ${postgresUrl}`.text();
// Commands and comments of psql are no SQL.
await Bun.write(
  join(folder, 'postgres.sql'),
  dump.replaceAll(/^(?:\\|--).*\n/gm, '').replaceAll(/\n{2,}/g, '\n'),
);

/** Fills a store through the release's own commands and API, and returns what its API responds. */
async function fill(databaseUrl: string, signal: NodeJS.Signals) {
  const at = ['--database-url', databaseUrl];
  const run = async (...args: string[]): Promise<string> => Bun.$`${bun} ${program} ${args} ${at}`.text();
  const issue = async (name: string, ...options: string[]) =>
    JSON.parse(await run('keys', 'create', '--name', name, '--json', ...options)) as { key: string };
  const { key } = await issue('till 1');
  const { key: revokedKey } = await issue('till 2');
  await run('keys', 'revoke', '2');
  const { key: readOnlyKey } = await issue('window', '--read-only');
  const { key: replacedKey } = await issue('fair', '--expires', '90d');
  const { key: successorKey } = JSON.parse(await run('keys', 'rotate', '4', '--json')) as { key: string };
  const { key: noDeleteKey } = await issue('clerk', '--no-delete');

  const service = Bun.spawn([bun, program, 'serve', '--port', '0', '--stop-delay', '0', ...at], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = collect(service.stdout).untilMatch(/"message":"ready","address":"([^"]+)"/);
  const ended = service.exited.then(() => Promise.reject(new Error('The service did not start.')));
  const [, url] = await Promise.race([ready, ended]);
  const call = async (path: string, init: RequestInit = {}): Promise<string> => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      ...(init.headers as object),
    };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path} gave ${response.status}: ${await response.text()}`);
    return response.text();
  };
  for (const [index, name] of names.entries()) {
    const status = statuses[index % statuses.length];
    const category = categories[index % categories.length];
    const body = `{"name":${JSON.stringify(name)},"categoryId":${category}${status ? `,"status":"${status}"` : ''}}`;
    await call('/v1/pets', { method: 'POST', body });
  }
  const replayed = { key: 'order-1', body: '{"name":"Once","categoryId":7,"status":"available"}' };
  const response = await call('/v1/pets', {
    method: 'POST',
    body: replayed.body,
    headers: { 'Idempotency-Key': replayed.key },
  });
  for (const status of ['sold', 'available', 'sold'])
    await call('/v1/pets/1', { method: 'PATCH', body: JSON.stringify({ status }) });
  for (const category of ['7', ...categories])
    await call(`/v1/categories/${category}`, {
      method: 'PUT',
      body: JSON.stringify({ name: `№ ${category}` }),
    });
  await call('/v1/categories/0', { method: 'DELETE' });
  // The newest pet is gone, and its id must not come back.
  await call('/v1/pets', { method: 'POST', body: '{"name":"Gone","categoryId":1}' });
  const lastId = String(names.length + 2);
  await call(`/v1/pets/${lastId}`, { method: 'DELETE' });
  const pets = await call('/v1/pets?limit=100');
  const orders = await call('/v1/store/orders?limit=100');
  const namedCategories = await call('/v1/categories?limit=100');
  const events = await call('/v1/events?limit=100');
  const keys = await run('keys', 'list', '--json');
  service.kill(signal);
  await service.exited;
  return {
    madeAt: Date.now(),
    ...{ key, revokedKey, readOnlyKey, replacedKey, successorKey, noDeleteKey },
    keys: JSON.parse(keys) as unknown,
    replayed: { ...replayed, response },
    ...{ lastId, pets, orders, categories: namedCategories, events },
  };
}
