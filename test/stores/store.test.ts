import { describe, expect, it } from 'bun:test';
import type { PetQuery } from '../../src/stores/store.ts';
import { codeOf } from '../support/code-of.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { insertPets } from '../support/insert-rows.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, updatePet } from '../support/changes.ts';

const rex = { name: 'Rex', categoryId: 1n };
const till = {
  name: 'till',
  hash: 'a'.repeat(64),
  lastFour: 'aaaa',
  isReadOnly: false,
  mayDelete: true,
  createdAt: new Date(1),
};

onEveryStore('the store', ({ place, open }) => {
  const petOf = async ({ pets }: Store, id: bigint): Promise<string> => String(await pets.getPet(id));
  const pageOf = async ({ pets }: Store, request: PetQuery): Promise<string> =>
    (await pets.listPets(request)).json;

  describe('creates', () => {
    it('refuses changes with overloaded when too many wait, and makes those it accepted', async () => {
      const store = await open({ maxQueuedWrites: 2 });
      const { id } = await store.pets.apply(createPet(rex));
      for (const change of [createPet(rex), updatePet(id, { changes: { status: 'sold' } })]) {
        const outcomes = await Promise.all(Array.from({ length: 6 }, () => codeOf(store.pets.apply(change))));
        expect(outcomes).toEqual(['done', 'done', 'done', 'overloaded', 'overloaded', 'overloaded']);
      }
      expect(idsOf(await pageOf(store, { limit: 100 }))).toHaveLength(1 + 3);
    });

    it('gives every create its own pet, over more than one batch', async () => {
      const store = await open();
      const created = await Promise.all(
        Array.from({ length: 2500 }, (_, index) =>
          store.pets.apply(createPet({ ...rex, name: `pet ${index}` })),
        ),
      );
      expect(new Set(created.map(({ id }) => id)).size).toBe(2500);
      for (const [index, { id, json }] of created.entries()) {
        expect(json).toBe(`{"id":${id},"name":"pet ${index}","categoryId":1}`);
      }
    });

    it('keeps one bad create from affecting the others of its batch', async () => {
      const store = await open();
      const names = ['alone', 'before', 'impossible', 'after'];
      const outcomes = await Promise.all(
        names.map((each) =>
          codeOf(
            each === 'impossible'
              ? store.pets.apply(createPet({ ...rex, status: 'flying' as 'sold' }))
              : store.pets.apply(createPet({ ...rex, name: each })),
          ),
        ),
      );
      expect(outcomes.map((outcome) => outcome === 'done')).toEqual([true, true, false, true]);
      expect(idsOf(await pageOf(store, { limit: 100 }))).toHaveLength(3);
    });
  });

  describe('idempotency keys', () => {
    const once = { key: 'k', caller: 'c' };

    it('makes one pet from many requests at once, and refuses another body under the same key', async () => {
      const [store, other] = [await open(), await open()];
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? store : other).pets.apply(createPet(rex, once)),
        ),
      );
      expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
      expect(responses.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(await codeOf(store.pets.apply(createPet({ ...rex, name: 'Tom' }, once)))).toBe(
        'idempotency_conflict',
      );
      expect(await codeOf(store.pets.apply(createPet(rex, { ...once, caller: 'other' })))).toBe('done');
      expect(idsOf(await pageOf(store, { limit: 100 }))).toHaveLength(2);
    });

    it('remembers idempotency keys for a week', async () => {
      let time = 0;
      const store = await open({ now: () => time });
      const create = async () => !(await store.pets.apply(createPet(rex, once))).isNew;
      expect(await create()).toBe(false);
      for (const days of [1, 7]) {
        time = days * 24 * 3_600_000;
        expect(await create()).toBe(true);
      }
      time += 1;
      expect(await create()).toBe(false);
      expect(await create()).toBe(true);
    });
  });

  describe('keys', () => {
    it('finds, lists, uses and revokes keys', async () => {
      const { keys } = await open();
      const expiresAt = new Date(2 ** 41);
      const made = await keys.createKey({ ...till, mayDelete: false, expiresAt });
      expect(made).toEqual({ ...till, id: '1', mayDelete: false, expiresAt });
      expect(await keys.findKey(till.hash)).toEqual(made);
      await keys.recordUse('1', new Date(2000));
      const revoked = { ...made, lastUsedAt: new Date(2000), revokedAt: new Date(3000) };
      expect(await keys.revokeKey('1', new Date(3000))).toEqual(revoked);
      expect(await keys.revokeKey('1', new Date(4000))).toEqual(revoked);
      expect(await keys.findKey(till.hash)).toBeUndefined();
      expect(await keys.listKeys()).toEqual([revoked]);
      await keys.createKey({ ...till, hash: 'b'.repeat(64) });
      expect((await keys.listKeys()).map(({ id }) => id)).toEqual(['1', '2']);
    });

    it('finds a key until it expires or its announced revocation comes', async () => {
      let time = 10_000;
      const now = () => time;
      const [{ keys }, other] = [await open({ now }), await open({ now })];
      const [expiring, revoked] = [till.hash, 'b'.repeat(64)];
      await keys.createKey({ ...till, expiresAt: new Date(70_000) });
      await keys.createKey({ ...till, hash: revoked, expiresAt: new Date(90_000) });
      await keys.revokeKey('2', new Date(70_000));
      for (time of [10_000, 69_999])
        for (const hash of [expiring, revoked]) expect(await keys.findKey(hash)).toMatchObject({ hash });
      time = 70_000;
      for (const store of [keys, other.keys])
        for (const hash of [expiring, revoked]) expect(await store.findKey(hash)).toBeUndefined();
    });

    it('does not find an unknown key', async () => {
      const { keys } = await open();
      const made = await keys.createKey({ ...till, isReadOnly: true });
      expect(await keys.findKey('x')).toBeUndefined();
      const others = ['2', '0', '-1', '1.0', ' 1', '', 'x', '1e0', '99999999999999999999', "1' OR '1'='1"];
      for (const id of others) expect(await keys.revokeKey(id, new Date())).toBeUndefined();
      for (const id of ['2', '', 'x', '99999999999999999999']) await keys.recordUse(id, new Date());
      expect(await keys.listKeys()).toEqual([made]);
    });
  });

  describe('ids past 2^53', () => {
    const largest = 2n ** 63n - 1n;
    const ids = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 62n + 1n, largest - 1n, largest];

    it('keeps every digit of an id, walks the ids page by page, and refuses a create when all are used', async () => {
      await insertPets(
        place(),
        ids.map((id) => ({ id, name: 'Rex', categoryId: id, status: 'sold' })),
      );
      const tables = await place().openTables();
      await tables.raiseLastId('pets', largest);
      await tables.close();
      const store = await open();
      for (const id of ids) {
        const json = `{"id":${id},"name":"Rex","categoryId":${id},"status":"sold"}`;
        expect(await petOf(store, id)).toBe(json);
      }
      for (const status of [undefined, 'sold'] as const) {
        const walked: string[] = [];
        for (let after: bigint | undefined = 0n; after !== undefined;) {
          const page = await store.pets.listPets({ limit: 2, after, ...(status && { status }) });
          walked.push(...idsOf(page.json));
          after = page.next;
        }
        expect(walked).toEqual(ids.map(String));
      }
      expect(await store.pets.apply(createPet(rex)).catch((error: unknown) => error)).toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/^All ids are used up, .* import them into a new store/),
      });
    });

    it('refuses a sale when no id is left for its order, and keeps its idempotency key free', async () => {
      const store = await open();
      const { id } = await store.pets.apply(createPet(rex));
      const tables = await place().openTables();
      await tables.raiseLastId('orders', largest);
      await tables.close();
      const sold = createPet({ ...rex, status: 'sold' }, { key: 'k', caller: 'c' });
      const sell = updatePet(id, { changes: { status: 'sold' } });
      for (let attempt = 0; attempt < 2; attempt++) {
        const changes = [sold, sell, createPet(rex), updatePet(id, { changes: { name: `Tom ${attempt}` } })];
        const outcomes = await Promise.all(changes.map((change) => codeOf(store.pets.apply(change))));
        expect(outcomes).toEqual(['unavailable', 'unavailable', 'done', 'done']);
      }
    });
  });
});
