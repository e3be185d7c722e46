import { Database } from 'bun:sqlite';
import { describe, expect, it } from 'bun:test';
import type { Store } from '../../../src/stores/store.ts';
import { untilNoticed } from '../../../src/stores/sqlite/freshness.ts';
import { codeOf } from '../../support/code-of.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet } from '../../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const till = {
  name: 'till',
  hash: 'a'.repeat(64),
  lastFour: 'aaaa',
  isReadOnly: false,
  mayDelete: true,
  createdAt: new Date(0),
};

const place = useSqliteFile();

const namesOf = async ({ pets }: Store): Promise<string[]> => {
  const { json } = await pets.listPets({ limit: 100 });
  return (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
};

describe('a file that another program has locked', () => {
  it('makes writes unavailable and delays no read, until they resume by themselves', async () => {
    const store = place.open();
    await store.pets.apply(createPet(rex));
    {
      using other = new Database(place.path);
      other.run('BEGIN IMMEDIATE');
      expect(await codeOf(store.pets.apply(createPet({ ...rex, name: 'never' })))).toBe('unavailable');
      expect(store.pets.areWritesFailing()).toBe(true);
      expect(await namesOf(store)).toEqual(['Rex']);
    }
    expect(await codeOf(store.pets.apply(createPet({ ...rex, name: 'Tom' })))).toBe('done');
    expect(store.pets.areWritesFailing()).toBe(false);
    expect(await namesOf(store)).toEqual(['Rex', 'Tom']);
  });
});

describe('two stores on one file', () => {
  it('see a revocation between their own creates', async () => {
    const [one, other] = [place.open(), place.open()];
    const find = (hash: string) => one.keys.findKey(hash);
    for (let round = 0; round < 20; round++) {
      const hash = round.toString().padStart(64, '0');
      const { id } = await one.keys.createKey({ ...till, hash });
      await one.pets.apply(createPet(rex));
      await find(hash);
      await one.pets.apply(createPet(rex));
      const kept = await find(hash);
      expect(kept).toMatchObject({ id });
      await one.pets.apply(createPet(rex));
      if (round % 2 === 0) await other.keys.revokeKey(id, new Date());
      else await Promise.all([one.keys.revokeKey(id, new Date()), one.pets.apply(createPet(rex))]);
      await one.pets.apply(createPet(rex));
      expect(await find(hash)).toBeUndefined();
    }
  });
});

describe('the version of the store', () => {
  it('stays the same while nobody commits', async () => {
    const store = place.open();
    await store.pets.apply(createPet(rex));
    const version = store.pets.version();
    expect(version).toBeDefined();
    await namesOf(store);
    await store.pets.getPet(1n);
    await store.keys.findKey(till.hash);
    expect(store.pets.version()).toBe(version);
  });

  it('changes with every commit, its own and those of others', async () => {
    const [one, other] = [place.open(), place.open()];
    const versions = [one.pets.version()];
    for (const store of [one, other, one, other]) {
      await store.pets.apply(createPet(rex));
      await untilNoticed();
      versions.push(one.pets.version());
    }
    const { id } = await other.keys.createKey(till);
    versions.push(one.pets.version());
    await other.keys.revokeKey(id, new Date(5000));
    versions.push(one.pets.version());
    expect(new Set(versions).size).toBe(versions.length);
  });
});

describe('expired idempotency keys', () => {
  it('replay nothing, and are removed a hundred at a time', async () => {
    let time = Date.now();
    const store = place.open({ now: () => time });
    const create = (key: string) => store.pets.apply(createPet(rex, { key, caller: 'somebody' }));
    const keys = Array.from({ length: 250 }, (_, index) => `old ${index}`);
    for (const key of keys) await create(key);
    using database = new Database(place.path);
    const count = (): number =>
      (database.query('SELECT count(*) AS count FROM idempotency_keys').get() as { count: number }).count;
    expect(count()).toBe(250);

    time += 8 * 24 * 60 * 60 * 1000;
    await create('new');
    expect(count()).toBe(151);
    for (const key of keys.toReversed()) expect(await create(key)).toMatchObject({ isNew: true });
    expect(count()).toBe(251);
    for (const key of keys) expect(await create(key)).toMatchObject({ isNew: false });
  });
});
