import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { keyJson } from '../../src/cli/keys.ts';
import { foldName } from '../../src/domain/fold.ts';
import type { Migration } from '../../src/stores/migration.ts';
import { readPragma } from '../../src/stores/sqlite/migrate.ts';
import { idsOf, outcomeOf, patch, post } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';
import { runCli } from '../support/process/process.ts';
import { releases, releaseStores, type Release, type ReleaseStore } from '../support/release-stores.ts';

const latestVersion = 8;
const everyStore = Object.keys(releases).flatMap((release) =>
  Object.keys(releaseStores).map((name) => [release as Release, name] as const),
);

describe.each(everyStore)('a store that %s made, on %s', (release, name) => {
  const { schemaVersion } = releases[release];
  const isNewest = schemaVersion === latestVersion;
  let store: ReleaseStore;
  let service: Service;
  let call: Service['call'];
  const migrations: Migration[] = [];
  beforeAll(async () => {
    store = await releaseStores[name]!(release);
    service = await openService({
      openStore: () => store.open({ onMigrated: (migration) => migrations.push(migration) }),
    });
    call = (path, init) => service.callAs(`Bearer ${store.expected.key}`, path, init);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
  });

  it('is migrated once, if its schema is older', async () => {
    const expected = isNewest ? [] : [{ from: schemaVersion, to: latestVersion }];
    expect(migrations).toMatchObject(expected);
    await (await store.open({ onMigrated: (migration) => migrations.push(migration) })).close();
    expect(migrations).toHaveLength(expected.length);
  });

  it.skipIf(isNewest)('is kept as it was if it is a file', () => {
    const [{ keptAs } = { keptAs: undefined }] = migrations;
    if (store.kind === 'PostgreSQL') return expect(keptAs).toBeUndefined();
    expect(keptAs).toBe(`${store.databaseUrl}.schema-${schemaVersion}`);
    using database = new Database(String(keptAs), { readonly: true });
    expect(readPragma(database, 'user_version')).toBe(schemaVersion);
    expect(database.query(`SELECT '[' || group_concat(json) || ']' AS pets FROM pets`).get()).toEqual({
      pets: store.expected.pets,
    });
  });

  it('has every pet and every order, byte for byte', async () => {
    expect(await (await call('/v1/pets?limit=100')).text()).toBe(store.expected.pets);
    const orders = await call('/v1/store/orders?limit=100');
    expect(await orders.text()).toBe(store.expected.orders);
  });

  it.skipIf(schemaVersion < 8)('has every category and every event, byte for byte', async () => {
    const { categories, events } = store.expected;
    expect(await (await call('/v1/categories?limit=100')).text()).toBe(categories!);
    expect(await (await call('/v1/events?limit=100')).text()).toBe(events!);
  });

  it('finds every pet by its folded name', async () => {
    expect(await (await call('/v1/pets/search?limit=100&sort=oldest')).text()).toBe(store.expected.pets);
    const pets = JSON.parse(store.expected.pets) as { name: string }[];
    for (const petName of new Set(
      pets.map((pet) => pet.name.slice(0, 100)).filter((each) => each.trim() !== ''),
    )) {
      const query = `/v1/pets/search?q=${encodeURIComponent(foldName(petName).slice(0, 30))}&limit=100`;
      const isFound = async () =>
        ((await (await call(query)).json()) as typeof pets).some((pet) => pet.name.startsWith(petName));
      // On PostgreSQL, names are folded while the service runs.
      while (!(await isFound())) await Bun.sleep(20);
    }
  });

  it('finds every pet by its category', async () => {
    const categories = Array.from(store.expected.pets.matchAll(/"categoryId":(-?\d+)/g), ([, id = '']) => id);
    for (const id of new Set(categories)) {
      const found = await (await call(`/v1/pets/search?categoryId=${id}&limit=100`)).text();
      const count = (text: string) => text.split(new RegExp(`"categoryId":${id}[,}]`)).length - 1;
      expect(count(found)).toBe(count(store.expected.pets));
    }
  });

  it('refuses the key that was revoked', async () => {
    const refused = service.callAs(`Bearer ${store.expected.revokedKey}`, '/v1/pets');
    expect(await outcomeOf(refused)).toBe('401 invalid_api_key');
  });

  it.skipIf(schemaVersion >= 8)(
    'returns orders from before, which have no name, and names those of a new sale',
    async () => {
      const before = JSON.parse(store.expected.orders) as { petId: number; status: string }[];
      const { petId } = before.findLast(({ status }) => status === 'sold')!;
      for (const status of ['available', 'sold'])
        expect(await outcomeOf(call(`/v1/pets/${petId}`, patch({ status })))).toBe('200');
      const ofPet = (await (await call(`/v1/store/orders?petId=${petId}`)).json()) as object[];
      for (const order of ofPet.slice(0, -1)) {
        expect(order).toMatchObject({ returnedAt: expect.any(String) });
        expect('name' in order || 'categoryId' in order).toBe(false);
      }
      expect(ofPet.at(-1)).toMatchObject({ name: expect.any(String), categoryId: expect.any(Number) });
      expect(ofPet.length).toBeGreaterThan(1);
    },
  );

  it('gives a new pet the next id, changes it and deletes it', async () => {
    const created = await call('/v1/pets', post({ name: 'Next', categoryId: 1 }));
    const [id = ''] = idsOf(await created.text());
    expect(id).toBe(String(BigInt(store.expected.lastId) + 1n));
    expect(await outcomeOf(call(`/v1/pets/${id}`, patch({ status: 'sold' })))).toBe('200');
    expect(await outcomeOf(call(`/v1/pets/${id}`, { method: 'DELETE' }))).toBe('204');
  });

  it('replays the create of an idempotency key', async () => {
    const { key, body, response } = store.expected.replayed;
    const replayed = await call('/v1/pets', post(body, { 'Idempotency-Key': key }));
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await replayed.text()).toBe(response);
  });
});

describe.each(everyStore.filter(([release]) => release !== '1.0.0'))(
  'a store that %s made, on %s',
  (release, name) => {
    it('has every key as it was', async () => {
      await using store = await releaseStores[name]!(release);
      const { madeAt, keys, readOnlyKey, replacedKey, successorKey } = store.expected;
      // On the day it was made: the replaced key has expired since.
      await using service = await openService({ openStore: () => store.open(), now: () => madeAt });
      const found = await service.keys.listKeys();
      expect(found.map((key) => keyJson(key, new Date(madeAt)))).toMatchObject(keys!);
      expect(found.map(({ mayDelete }) => mayDelete)).toEqual(
        keys!.map(({ readOnly, mayDelete = !readOnly }) => mayDelete),
      );
      const callAs = (key = '', init?: RequestInit) =>
        outcomeOf(service.callAs(`Bearer ${key}`, '/v1/pets', init));
      expect(await callAs(replacedKey)).toBe('200');
      expect(await callAs(successorKey)).toBe('200');
      expect(await callAs(readOnlyKey, post({ name: 'Rex', categoryId: 1 }))).toBe('403 forbidden');
    });
  },
);

describe('the copy that a migration makes', () => {
  it('can be restored, and keys that were revoked since then stay revoked', async () => {
    await using store = await releaseStores['SQLite after a stop']!('1.0.0');
    const migrated = await store.open();
    await migrated.keys.revokeKey('1', new Date());
    await migrated.close();
    const at = ['--database-url', store.databaseUrl];
    expect(await runCli(['restore', `${store.databaseUrl}.schema-4`, '--force', ...at])).toMatchObject({
      status: 0,
    });
    using database = new Database(store.databaseUrl, { readonly: true });
    expect(readPragma(database, 'user_version')).toBe(4);
    expect(database.query('SELECT count(revoked_at) AS revoked FROM api_keys').get()).toEqual({ revoked: 2 });
  });
});
