import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Migration } from '../../src/migration.ts';
import { readPragma } from '../../src/sqlite/migrate.ts';
import { failureOf } from '../support/failure.ts';
import { hashesOf } from '../support/file-hashes.ts';
import { experimental, idsOf, outcomeOf, patch, post } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';
import { releaseStores, type ReleaseStore } from '../support/release-stores.ts';

describe.each(Object.keys(releaseStores))('a store that 1.0.0 made, on %s', (name) => {
  let store: ReleaseStore;
  let service: Service;
  let call: Service['call'];
  const migrations: Migration[] = [];
  beforeAll(async () => {
    store = await releaseStores[name]!();
    service = await openService({
      isExperimental: true,
      openStore: (options) =>
        store.open({ ...options, onMigrated: (migration) => migrations.push(migration) }),
    });
    call = (path, init) => service.callAs(`Bearer ${store.expected.key}`, path, init);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
  });

  it('is migrated once', async () => {
    expect(migrations).toMatchObject([{ from: 4, to: 5 }]);
    await (await store.open({ onMigrated: (migration) => migrations.push(migration) })).close();
    expect(migrations).toHaveLength(1);
  });

  it('is kept as it was where it is a file', () => {
    const [{ keptAs } = { keptAs: undefined }] = migrations;
    if (store.kind === 'PostgreSQL') return expect(keptAs).toBeUndefined();
    expect(keptAs).toBe(`${store.databaseUrl}.schema-4`);
    using database = new Database(String(keptAs), { readonly: true });
    expect(readPragma(database, 'user_version')).toBe(4);
    expect(database.query(`SELECT '[' || group_concat(json) || ']' AS pets FROM pets`).get()).toEqual({
      pets: store.expected.pets,
    });
  });

  it('has every pet and every order, byte for byte', async () => {
    expect(await (await call('/v1/pets?limit=100')).text()).toBe(store.expected.pets);
    const orders = await call('/v1/store/orders?limit=100', experimental());
    expect(await orders.text()).toBe(store.expected.orders);
  });

  it('refuses the key that was revoked', async () => {
    const refused = service.callAs(`Bearer ${store.expected.revokedKey}`, '/v1/pets');
    expect(await outcomeOf(refused)).toBe('401 invalid_api_key');
  });

  it('gives a new pet the next id, changes it and deletes it', async () => {
    const created = await call('/v1/pets', post({ name: 'Next', categoryId: 1 }));
    const [id = ''] = idsOf(await created.text());
    expect(id).toBe(String(BigInt(store.expected.lastId) + 1n));
    expect(await outcomeOf(call(`/v1/pets/${id}`, patch({ status: 'sold' })))).toBe('200');
    expect(await outcomeOf(call(`/v1/pets/${id}`, experimental({ method: 'DELETE' })))).toBe('204');
  });

  it('replays the create of an idempotency key', async () => {
    const { key, body, response } = store.expected.replayed;
    const replayed = await call('/v1/pets', post(body, { 'Idempotency-Key': key }));
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await replayed.text()).toBe(response);
  });
});

describe('a store of 1.0.0 that cannot be copied', () => {
  it('is refused and stays as it was', async () => {
    await using store = await releaseStores['SQLite after a stop']!();
    mkdirSync(`${store.databaseUrl}.schema-4`);
    const before = hashesOf(dirname(store.databaseUrl));
    expect(await failureOf(store.open())).toMatchObject({
      message: expect.stringContaining('rename failed'),
    });
    expect(hashesOf(dirname(store.databaseUrl))).toEqual(before);
  });
});

describe('a store that is migrated without a copy', () => {
  it('leaves no file behind', async () => {
    await using store = await releaseStores['SQLite after a stop']!();
    await (await store.open({ keepsOlder: false })).close();
    expect(existsSync(`${store.databaseUrl}.schema-4`)).toBe(false);
  });
});
