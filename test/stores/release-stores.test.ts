import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { keyJson } from '../../src/cli/keys.ts';
import { openPostgresStore } from '../../src/stores/postgres/open.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import type { Store } from '../../src/stores/store.ts';
import expected300 from '../fixtures/3.0.0/expected.json';
import { idsOf, outcomeOf, patch, post } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';
import { makeDatabase } from '../support/postgres/server.ts';
import { makeFolder } from '../support/process/process.ts';

/** What each release said about the stores that it left, made by `test/fixtures/make-release-stores.ts`. */
const releases = { '3.0.0': expected300 };
type Release = keyof typeof releases;
type StoreName = keyof typeof expected300;

const stores = Object.keys(releases).flatMap((release) =>
  (['stopped', 'killed', 'postgres'] as const).map((name) => [release as Release, name] as const),
);

describe.each(stores)('a store that %s left, %s', (release, name) => {
  const expected = releases[release][name];
  let copy: AsyncDisposable & { store: Store };
  let service: Service;
  let call: Service['call'];
  beforeAll(async () => {
    copy = name === 'postgres' ? await restoreDump(release) : copyFiles(release, name);
    // On the day it was made: keys expire, and idempotency keys are forgotten.
    service = await openService({ openStore: async () => copy.store, now: () => expected.madeAt });
    call = (path, init) => service.callAs(`Bearer ${expected.key}`, path, init);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await copy?.[Symbol.asyncDispose]();
  });

  it.each([
    ['pets', '/v1/pets?limit=100'],
    ['orders', '/v1/store/orders?limit=100'],
    ['categories', '/v1/categories?limit=100'],
    ['events', '/v1/events?limit=100'],
  ] as const)('has its %s, byte for byte', async (list, path) => {
    expect(await (await call(path)).text()).toBe(expected[list]);
  });

  it('has its keys, which open what they opened', async () => {
    const keys = await service.keys.listKeys();
    const rows = keys.map((key) => keyJson(key, new Date(expected.madeAt)));
    expect(JSON.parse(withoutLastUse(rows))).toEqual(JSON.parse(withoutLastUse(expected.keys)));
    const { replacedKey, successorKey, revokedKey, readOnlyKey, noDeleteKey } = expected;
    const outcome = (key: string, path = '/v1/pets', init?: RequestInit) =>
      outcomeOf(service.callAs(`Bearer ${key}`, path, init));
    expect(await outcome(replacedKey)).toBe('200');
    expect(await outcome(successorKey)).toBe('200');
    expect(await outcome(revokedKey)).toBe('401 invalid_api_key');
    expect(await outcome(readOnlyKey, '/v1/pets', post({ name: 'Rex', categoryId: 1 }))).toBe(
      '403 forbidden',
    );
    expect(await outcome(noDeleteKey, '/v1/pets/1', { method: 'DELETE' })).toBe('403 forbidden');
  });

  it('finds a pet by a part of its name', async () => {
    expect(await (await call('/v1/pets/search?q=ONC')).text()).toBe(`[${expected.replayed.response}]`);
  });

  it('replays the create of an idempotency key', async () => {
    const { key, body, response } = expected.replayed;
    const replayed = await call('/v1/pets', post(body, { 'Idempotency-Key': key }));
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await replayed.text()).toBe(response);
  });

  it('gives a new pet a new id, changes it and deletes it', async () => {
    const [id = ''] = idsOf(await (await call('/v1/pets', post({ name: 'Next', categoryId: 1 }))).text());
    expect(BigInt(id)).toBeGreaterThan(BigInt(expected.lastId));
    expect(await outcomeOf(call(`/v1/pets/${id}`, patch({ status: 'sold' })))).toBe('200');
    expect(await outcomeOf(call(`/v1/pets/${id}`, { method: 'DELETE' }))).toBe('204');
  });
});

/** The tests before may have used a key. */
function withoutLastUse(keys: readonly object[]): string {
  return JSON.stringify(keys, (name, value: unknown) => (name === 'lastUsedAt' ? undefined : value));
}

function copyFiles(release: Release, name: StoreName): AsyncDisposable & { store: Store } {
  const folder = makeFolder();
  for (const suffix of ['', '-wal']) {
    const file = fixture(release, `${name}.db${suffix}`);
    if (existsSync(file)) copyFileSync(file, folder.database + suffix);
  }
  const store = openSqliteStore({ path: folder.database, now: () => releases[release][name].madeAt });
  return { store, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
}

async function restoreDump(release: Release): Promise<AsyncDisposable & { store: Store }> {
  const database = await makeDatabase();
  await database.run(await Bun.file(fixture(release, 'postgres.sql')).text());
  const { madeAt } = releases[release].postgres;
  const store = await openPostgresStore({ address: database.address(), now: () => madeAt });
  return { store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

function fixture(release: Release, file: string): string {
  return join(import.meta.dir, '../fixtures', release, file);
}
