import { afterAll, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import type { ApiKey } from '../../src/domain/api-key.ts';
import type { Applied, CategoryChange, PetChange } from '../../src/domain/change.ts';
import { PetstoreError } from '../../src/domain/error.ts';
import type { EventPosition, Store } from '../../src/stores/store.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { etagOf } from '../../src/domain/precondition.ts';
import { createPet, deleteCategory, deletePet, putCategory, updatePet } from '../support/changes.ts';
import { holds } from '../support/property.ts';
import { stores } from '../support/stores.ts';

const places = await Promise.all(Object.values(stores).map((makePlace) => makePlace()));
const both = await Promise.all(places.map((place) => place.open({ now: () => 1_700_000_000_000 })));
afterAll(async () => {
  await Promise.all(both.map((store) => store.close()));
  await Promise.all(places.map((place) => place[Symbol.asyncDispose]()));
});

/**
 * Few names, keys, pets and categories, so that changes meet. The id of a pet is its place among those created before.
 */
const name = fc.constantFrom('Rex', 'Tom');
const categoryId = fc.constantFrom(1n, -(2n ** 63n));
const status = fc.constantFrom(...petStatuses);
const by = fc.constantFrom('till-1', 'till-2', undefined);
const place = fc.bigInt({ min: 0n, max: 3n });
const seen = fc.constantFrom('{}', undefined, undefined, undefined);
const once = fc.option(fc.record({ caller: fc.constant('shop'), key: fc.constantFrom('a', 'b') }), {
  nil: undefined,
});
const pet = fc.record({ name, categoryId, status }, { requiredKeys: ['name', 'categoryId'] });
const fields = fc.record({ name, categoryId, status: fc.option(status) }, { requiredKeys: [] });
const petUpdate = fc.record({ changes: fields, expected: fields }, { requiredKeys: ['changes'] });
const tags = fc.constantFrom('*', etagOf('{"id":1,"name":"Rex"}'), etagOf('{"id":1,"name":"Tom"}'));
const preconditions = fc.option(fc.record({ ifMatch: tags, ifNoneMatch: tags }, { requiredKeys: [] }), {
  nil: undefined,
});
const change: fc.Arbitrary<PetChange | CategoryChange> = fc.oneof(
  fc.tuple(categoryId, name, preconditions, by).map((values) => putCategory(...values)),
  fc.tuple(categoryId, preconditions, by).map((values) => deleteCategory(...values)),
  fc.tuple(pet, once, by).map((values) => createPet(...values)),
  fc.tuple(place, petUpdate, seen, by).map((values) => updatePet(...values)),
  fc.tuple(place, petUpdate, seen, by).map((values) => updatePet(...values)),
  fc.tuple(place, seen, by).map((values) => deletePet(...values)),
);

/** One store, and the pets of one run in the order of their creation: that is how the stores name a pet alike. */
class Side {
  readonly #store: Store;
  readonly #run: number;
  readonly #ids: bigint[] = [];
  #start: EventPosition | undefined;

  constructor(store: Store, run: number) {
    this.#store = store;
    this.#run = run;
  }

  /** Sends all changes of a batch at once. */
  async apply(batch: readonly (PetChange | CategoryChange)[]): Promise<string[]> {
    this.#start ??= (await this.#store.events.listEvents({ limit: 1, after: 'now' })).next;
    const changes = batch.map((each) => this.#ownChange(each));
    const outcomes = await Promise.all(
      changes.map((each) =>
        this.#store.pets.apply(each).catch((error: unknown) => {
          if (error instanceof PetstoreError) return error.code;
          throw error;
        }),
      ),
    );
    for (const [index, outcome] of outcomes.entries())
      if (changes[index]?.kind === 'create-pet' && typeof outcome === 'object' && outcome.isNew)
        this.#ids.push(outcome.id);
    return outcomes.map((outcome) => this.#textOf(outcome));
  }

  /** Every pet of the run, with its orders and events, and the categories with theirs. */
  async read(): Promise<unknown[]> {
    const { pets, orders, events } = this.#store;
    const { json: categories } = await pets.listCategories({ limit: 100 });
    const { json: log } = await events.listEvents({ limit: 100, after: this.#start! });
    const ofCategories = (JSON.parse(log) as { id?: number; type: string }[]).filter(({ type }) =>
      type.startsWith('category.'),
    );
    for (const event of ofCategories) delete event.id;
    const ofPets = await Promise.all(
      this.#ids.map(async (id) => [
        this.#alike((await pets.getPet(id)) ?? 'none'),
        this.#alike((await orders.listOrders({ limit: 100, petId: id })).json, 'without ids'),
        this.#alike(
          (await events.listEvents({ limit: 100, petId: id, after: this.#start! })).json,
          'without ids',
        ),
      ]),
    );
    return [categories, ofCategories, ...ofPets];
  }

  #ownChange(each: PetChange | CategoryChange): PetChange | CategoryChange {
    if (each.kind === 'put-category' || each.kind === 'delete-category') return each;
    if (each.kind !== 'create-pet') return { ...each, id: this.#ids[Number(each.id)] ?? 2n ** 62n };
    const { idempotency } = each;
    return { ...each, idempotency: idempotency && { ...idempotency, caller: `run ${this.#run}` } };
  }

  #textOf(outcome: Applied | string): string {
    return typeof outcome === 'string' ? outcome : `${outcome.isNew} ${this.#alike(outcome.json)}`;
  }

  /** PostgreSQL has gaps between ids, so a pet's id is replaced by its place, and other ids are left out. */
  #alike(json: string, ids: 'with pet ids' | 'without ids' = 'with pet ids'): string {
    const placeOf = (id: string): string => `#${this.#ids.indexOf(BigInt(id))}`;
    const own = ids === 'without ids' ? json.replaceAll(/(?<=[[,])\{"id":\d+,/g, '{') : json;
    return own.replaceAll(
      /"(petId|id)":(\d+)/g,
      (_, field: string, id: string) => `"${field}":${placeOf(id)}`,
    );
  }
}

/** What is done to the keys of a run, which are named by their place. */
const moment = fc.integer({ min: 1, max: 5 }).map((ms) => new Date(ms));
const keyAction = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), isReadOnly: fc.boolean(), mayDelete: fc.boolean() }),
  fc.record({ kind: fc.constant('revoke' as const), place: fc.nat(3), at: moment }),
  fc.record({ kind: fc.constant('use' as const), place: fc.nat(3), at: moment }),
);

type KeyAction = typeof keyAction extends fc.Arbitrary<infer Action> ? Action : never;

/** Does all actions of a batch at once, and returns the keys of the run as they are then. */
async function useKeys({ keys }: Store, run: number, batches: KeyAction[][]): Promise<Partial<ApiKey>[]> {
  const ids: string[] = [];
  for (const [round, batch] of batches.entries()) {
    const created = await Promise.all(
      batch.map(async (action, index) => {
        const id = 'place' in action ? (ids[action.place] ?? '999999999') : '';
        if (action.kind === 'revoke') await keys.revokeKey(id, action.at);
        if (action.kind === 'use') await keys.recordUse(id, action.at);
        if (action.kind !== 'create') return undefined;
        const { isReadOnly, mayDelete } = action;
        const hash = `${run} ${round} ${index}`;
        const times = { createdAt: new Date(run), expiresAt: new Date(2 ** 41) };
        return keys.createKey({
          ...{ hash, name: `run ${run}`, isReadOnly, mayDelete, lastFour: 'last' },
          ...times,
        });
      }),
    );
    ids.push(...created.flatMap((key) => key?.id ?? []));
  }
  const found = (await keys.listKeys()).filter((key) => key.name === `run ${run}`);
  return found.map((key) => Object.assign(key, { id: `#${ids.indexOf(key.id)}` }));
}

it('both stores decide random batches alike, and hold the same pets, categories, orders and events afterwards', async () => {
  let run = 0;
  await holds(
    fc.asyncProperty(
      fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 5 }),
      async (batches) => {
        run += 1;
        const [one, other] = both.map((store) => new Side(store, run)) as [Side, Side];
        for (const batch of batches) expect(await other.apply(batch)).toEqual(await one.apply(batch));
        expect(await other.read()).toEqual(await one.read());
      },
    ),
    60,
  );
});

it('both stores change keys alike', async () => {
  let run = 0;
  await holds(
    fc.asyncProperty(
      fc.array(fc.array(keyAction, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      async (batches) => {
        run += 1;
        const [one, other] = both as [Store, Store];
        expect(await useKeys(other, run, batches)).toEqual(await useKeys(one, run, batches));
      },
    ),
    60,
  );
});
