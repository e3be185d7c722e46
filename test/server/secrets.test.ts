import { describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { post, rex } from '../support/http/calls.ts';
import {
  makeFolder,
  runCli,
  startService,
  type CliResult,
  type Service,
} from '../support/process/process.ts';
import { openConnection } from '../support/http/raw-http.ts';

const keyText = /pets_[0-9A-Za-z]{36}/;

/** Keys that the operator chose; any form is allowed. */
const fixedKeys = ['shop-window-7', 'an0ther-fixed-secret'];

/** A session leaves output in many places; each is kept with a name for the message of a failure. */
type Places = Map<string, string | Buffer>;

describe('a key', () => {
  it('appears nowhere except where it was shown, after a session of the service', async () => {
    using folder = makeFolder();
    const databaseUrl = folder.database;
    const places: Places = new Map();
    const env = { API_KEYS: fixedKeys.join(',') };
    const args = ['--access-log'];

    // With API_KEYS, it would make no key of its own.
    await using beginning = await startService({
      databaseUrl,
      env: { API_KEYS: undefined },
      args,
    });
    const firstKey = await shownKey(beginning);
    await misplace(beginning, places, firstKey);
    expect(await beginning.stop()).toBe(0);

    await using first = await startService({ databaseUrl, env, args });
    const created = await cli(places, databaseUrl, ['keys', 'create', '--name', 'till']);
    const secondKey = keyText.exec(created.stdout)![0];
    const third = JSON.parse(
      (await cli(places, databaseUrl, ['keys', 'create', '--name', 'fair', '--expires', '1d', '--json']))
        .stdout,
    ) as { id: string; key: string };
    const keys = [firstKey, secondKey, third.key, ...fixedKeys];

    for (const key of keys) await misplace(first, places, key);
    await cli(places, databaseUrl, ['keys', 'list']);
    await cli(places, databaseUrl, ['keys', 'list', '--json']);
    await cli(places, databaseUrl, ['keys', 'revoke', third.id, '--json']);
    keepFiles(places, folder.path, 'while it runs');
    expect(await first.stop()).toBe(0);

    places.set('log of the beginning', beginning.stdout);
    places.set('stderr of the beginning', beginning.stderr.replaceAll(firstKey, ''));
    places.set('log', first.stdout);
    places.set('stderr', first.stderr);
    // The two that were printed on purpose, once each.
    places.set('keys create', withoutOnce(created.stdout, secondKey));
    expect(findKeys(keys, places)).toEqual([]);
    expect(first.stdout).toContain('"message":"request"');
  });

  it('is not repeated by commands that expect something else', async () => {
    using folder = makeFolder();
    const places: Places = new Map();
    const created = await cli(places, folder.database, ['keys', 'create', '--name', 'till']);
    const key = keyText.exec(created.stdout)![0];
    await mistype(places, folder.database, key);
    keepFiles(places, folder.path, 'afterwards');
    expect(findKeys([key], places)).toEqual([]);
  });
});

function findKeys(keys: string[], places: Places): string[] {
  return keys.flatMap((key) =>
    [...places]
      .filter(([, content]) => content.includes(secretOf(key)))
      .map(([name]) => `${fixedKeys.includes(key) ? 'fixed' : 'made'} key in ${name}`),
  );
}

/** A prefix and four characters may be shown; what lies between may not, nor any larger part of a key. */
function secretOf(key: string): string {
  return keyText.test(key) ? key.slice('pets_'.length, -4) : key;
}

/** Uses a key as it should be, and sends it in every place where it should not be. */
async function misplace(service: Service, places: Places, key: string): Promise<void> {
  const { callWith } = service;
  const headers = { 'Idempotency-Key': `once-${Bun.hash(key)}` };
  await callWith(key, '/v1/pets', post({ ...rex, categoryId: 'none' }));
  await callWith(key, '/v1/pets', post(rex, headers));
  const answers = [
    await callWith(key, `/v1/pets/${key}`),
    await callWith(key, `/v1/${key}`),
    await callWith(key, `/v1/pets?limit=${key}`),
    await callWith(key, `/v1/pets?cursor=${key}`),
    await callWith(key, `/v1/pets?api_key=${key}`, { headers: { 'X-Request-Id': key } }),
    await callWith(key, '/v1/pets', post(`{"name": "${key}`)),
    await callWith(key, '/v1/pets', { method: 'PATCH', headers: { 'X-Request-Id': `id-${key}` } }),
    await callWith(`${key}x`, `/v1/pets?key=${key}`),
  ];
  for (const [index, answer] of answers.entries()) {
    places.set(`body of answer ${index} to ${key.slice(-4)}`, await answer.text());
  }
  using connection = await openConnection(service.url);
  await connection?.send(key, '/livez').catch(String);
}

/** Gives a key to commands that expect something else. */
async function mistype(places: Places, databaseUrl: string, key: string): Promise<void> {
  for (const args of [
    [key],
    ['serve', `--${key}`],
    ['serve', '--port', key],
    ['serve', '--tls-cert', key, '--tls-key', key],
    ['serve', '--api-keys', `${key} ${key}`],
    ['serve', '--database-url', join(import.meta.path, key)],
    ['keys', 'revoke', key],
    ['keys', 'create', '--name', 'x', '--expires', key],
  ]) {
    const { status } = await cli(places, databaseUrl, args);
    expect(status).toBeGreaterThan(0);
  }
}

async function cli(places: Places, databaseUrl: string, args: string[]): Promise<CliResult> {
  const result = await runCli(args, { env: { DATABASE_URL: databaseUrl } });
  const name = `petstore ${args.join(' ')}`;
  if (args[1] !== 'create') places.set(`stdout of ${name}`, result.stdout);
  places.set(`stderr of ${name}`, result.stderr);
  return result;
}

function keepFiles(places: Places, folder: string, moment: string): void {
  for (const name of readdirSync(folder)) places.set(`${name} ${moment}`, readFileSync(join(folder, name)));
}

async function shownKey(service: Service): Promise<string> {
  for (;;) {
    const key = keyText.exec(service.stderr)?.[0];
    if (key !== undefined && service.stderr.endsWith('/v1/pets\n\n')) return key;
    await Bun.sleep(5);
  }
}

function withoutOnce(text: string, key: string): string {
  expect(text.split(key)).toHaveLength(2);
  return text.replace(key, '');
}
