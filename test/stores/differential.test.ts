import { afterAll, expect, it } from 'bun:test';
import * as fc from 'fast-check';
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
const currentJson = fc.constantFrom('{}', undefined, undefined, undefined);
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
  fc.tuple(place, petUpdate, currentJson, by).map((values) => updatePet(...values)),
  fc.tuple(place, petUpdate, currentJson, by).map((values) => updatePet(...values)),
  fc.tuple(place, currentJson, by).map((values) => deletePet(...values)),
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
