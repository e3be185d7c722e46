import { expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { PetstoreError } from '../../src/domain/error.ts';
import { isReturn, orderFor, type OrderStatus, orderStatuses } from '../../src/domain/history.ts';
import { type NewPet, type PetFields, petStatuses } from '../../src/domain/pet.ts';
import type { Page } from '../../src/stores/store.ts';
import { hasFields, withFields } from '../../src/domain/change.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { holds, propertyTimeoutMs, wellFormedName } from '../support/property.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

const categoryId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const status = fc.constantFrom(...petStatuses);
const fields = fc.record(
  { name: wellFormedName, categoryId, status: fc.option(status) },
  { requiredKeys: [] },
);
const which = fc.nat({ max: 100 });
const limit = fc.integer({ min: 1, max: 5 });

const kinds = {
  create: fc.record({ name: wellFormedName, categoryId, status: fc.option(status) }),
  update: fc.record({
    which,
    changes: fields,
    expected: fc.option(fields),
    /** Expects and names what the model holds, and so succeeds. */
    isInformed: fc.boolean(),
  }),
  delete: fc.record({ which, isOutdated: fc.boolean() }),
  list: fc.record({ limit, status: fc.option(status) }),
  orders: fc.record({ limit, status: fc.option(fc.constantFrom(...orderStatuses)) }),
};

type Kinds = {
  [Kind in keyof typeof kinds]: (typeof kinds)[Kind] extends fc.Arbitrary<infer Value> ? Value : never;
};
type Step = { [Kind in keyof Kinds]: { kind: Kind; values: Kinds[Kind] } }[keyof Kinds];

const step = fc.oneof(
  ...Object.entries(kinds).map(([kind, values]) => fc.record({ kind: fc.constant(kind), values })),
) as fc.Arbitrary<Step>;

/** What a store has to hold, in the simplest form. */
interface Model {
  created: bigint[];
  pets: Map<bigint, NewPet>;
  orders: { petId: bigint; asSold: string; status: OrderStatus; isReturned: boolean }[];
  /** Orders up to this one are left from earlier runs. */
  ordersAfter: bigint;
}

/** One of the pets that were created, or one that never was. */
function idOf({ created }: Model, each: { which: number }): bigint {
  return created[each.which % (created.length + 1)] ?? 2n ** 62n;
}

async function take(store: Store, model: Model, { kind, values }: Step): Promise<void> {
  switch (kind) {
    case 'create':
      return createOne(store, model, values);
    case 'update':
      return updateOne(store, model, values);
    case 'delete':
      return deleteOne(store, model, values);
    case 'list':
      return listAll(store, model, values);
    case 'orders':
      return listOrders(store, model, values);
  }
}

async function listAll({ pets }: Store, model: Model, each: Kinds['list']): Promise<void> {
  const ofStatus = each.status ? { status: each.status } : {};
  const listed = await walk((after = 0n) => pets.listPets({ limit: each.limit, after, ...ofStatus }));
  const expected = [...model.pets].filter(([, pet]) => (each.status ?? pet.status) === pet.status);
  expect(listed).toEqual(expected.map(([id, pet]) => render(id, pet)));
}

async function listOrders({ orders }: Store, model: Model, each: Kinds['orders']): Promise<void> {
  const ofStatus = each.status ? { status: each.status } : {};
  const listed = await walk((after = model.ordersAfter) =>
    orders.listOrders({ limit: each.limit, after, ...ofStatus }),
  );
  const shown = listed.map((json) =>
    json.replace(/^\{"id":\d+,|,"createdAt":"[^"]+"/g, '').replace(/:"[^"]+Z"\}$/, '}'),
  );
  const expected = model.orders.filter((order) => (each.status ?? order.status) === order.status);
  const renderOrder = ({ petId, isReturned, ...order }: Model['orders'][number]) =>
    `"petId":${petId},${order.asSold},"status":"${order.status}"${isReturned ? ',"returnedAt"' : ''}}`;
  expect(shown).toEqual(expected.map(renderOrder));
}

async function createOne(store: Store, model: Model, each: Kinds['create']): Promise<void> {
  const { status: own, ...others } = each;
  const pet: NewPet = { ...others, ...(own && { status: own }) };
  const { id, json } = await store.pets.apply(createPet(pet));
  expect(json).toBe(render(id, pet));
  expect(model.created.every((earlier) => earlier < id)).toBe(true);
  model.created.push(id);
  setPet(model, id, pet);
}

async function updateOne(store: Store, model: Model, each: Kinds['update']): Promise<void> {
  const id = idOf(model, each);
  const before = model.pets.get(id);
  const own: PetFields | undefined = before && { status: null, ...before };
  const expected = each.isInformed ? own : (each.expected ?? undefined);
  const seen = each.isInformed && before ? render(id, before) : undefined;
  const update = { changes: each.changes, ...(expected && { expected }) };
  const outcome = await outcomeOf(store.pets.apply(updatePet(id, update, seen)).then(({ json }) => json));
  if (!before) return expect(outcome).toBe('not_found');
  if (expected && !hasFields(before, expected)) return expect(outcome).toBe('precondition_failed');
  const after = withFields(before, each.changes);
  expect(outcome).toBe(render(id, after));
  setPet(model, id, after);
}

async function deleteOne(store: Store, model: Model, each: Kinds['delete']): Promise<void> {
  const id = idOf(model, each);
  const before = model.pets.get(id);
  const seen = each.isOutdated && before ? render(id, { ...before, name: `${before.name}?` }) : undefined;
  const outcome = await outcomeOf(store.pets.apply(deletePet(id, seen)));
  if (!before) return expect(outcome).toBe('not_found');
  if (each.isOutdated) return expect(outcome).toBe('precondition_failed');
  expect(outcome).toMatchObject({ id, json: render(id, before) });
  model.pets.delete(id);
}

function setPet({ pets, orders }: Model, id: bigint, pet: NewPet): void {
  const before = pets.get(id);
  if (before && isReturn(before, pet))
    for (const order of orders) if (order.petId === id) order.isReturned = true;
  const ordered = orderFor(0n, before, pet, { at: 0 })?.status;
  const asSold = `"name":${JSON.stringify(pet.name)},"categoryId":${pet.categoryId}`;
  if (ordered) orders.push({ petId: id, asSold, status: ordered, isReturned: false });
  pets.set(id, pet);
}

function render(id: bigint, { name, categoryId: category, status: own }: NewPet): string {
  const end = own === undefined ? '' : `,"status":"${own}"`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category}${end}}`;
}

/** The result of a change, or the code of its refusal. */
function outcomeOf<Result>(change: Promise<Result>): Promise<Result | string> {
  return change.catch((error: unknown) => {
    if (error instanceof PetstoreError) return error.code;
    throw error;
  });
}

/** Every row of every page. */
async function walk(read: (after?: bigint) => Page | Promise<Page>): Promise<string[]> {
  const rows: string[] = [];
  let page = await read();
  for (;;) {
    const inner = page.json.slice(1, -1);
    if (inner !== '') rows.push(...inner.split(/(?<=\}),(?=\{"id":)/));
    if (page.next === undefined) return rows;
    page = await read(page.next);
  }
}

/** Removes what an earlier run has left, because a store of its own for each run would take long. */
async function clear({ pets, orders: orderStore }: Store): Promise<Model> {
  for (const id of idsOf((await walk((after = 0n) => pets.listPets({ limit: 100, after }))).join(','))) {
    await pets.apply(deletePet(BigInt(id)));
  }
  const orders = await walk((after = 0n) => orderStore.listOrders({ limit: 100, after }));
  const ordersAfter = BigInt(idsOf(orders.at(-1) ?? '')[0] ?? 0);
  return { created: [], pets: new Map(), orders: [], ordersAfter };
}

onEveryStore('any sequence of operations', ({ open }) => {
  it(
    'has the result that a simple model predicts',
    async () => {
      const store = await open();
      await holds(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const model = await clear(store);
          for (const each of steps) await take(store, model, each);
          for (const each of [null, ...petStatuses]) await listAll(store, model, { limit: 3, status: each });
          await listOrders(store, model, { limit: 3, status: null });
        }),
        30,
      );
    },
    propertyTimeoutMs,
  );
});
