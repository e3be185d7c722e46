import { isAs, petText, withFields, type Operation, type Order, type Pet } from './history.ts';
import type { PetState, Step } from './linearize.ts';

/** Every operation as far as it concerns this pet. With its orders, each change must have made its own. */
export function stepsOf(
  id: number,
  created: Step | undefined,
  operations: readonly Operation[],
  orders: readonly Order[] | undefined,
): Step[] {
  const order = orders && { all: orders, statuses: orders.map(({ status }) => status) };
  const steps = operations.flatMap((operation) => stepsOn(id, operation, order));
  const own = created ? [created, ...steps] : steps;
  return order ? own.map((step) => withOrders(step, order.statuses)) : own;
}

/** A create of the pet; several requests with one idempotency key are one create. */
export function createStep(pet: Pet, from: number, to: number): Step {
  const apply = (state: PetState) => (state.pet ? undefined : after(state, pet));
  return { what: `create ${petText(pet)}`, from, to, changes: true, apply, shows: petText(pet) };
}

interface Orders {
  all: readonly Order[];
  statuses: readonly string[];
}

function stepsOn(id: number, operation: Operation, orders: Orders | undefined): Step[] {
  const { kind, caller, from, to } = operation;
  const byCaller = (what: string) => `${caller}: ${what}`;
  const read = (what: string, fits: (state: PetState) => boolean, shows?: string): Step => ({
    ...{ what: byCaller(what), from, to, changes: false },
    apply: (state) => (fits(state) ? state : undefined),
    ...(shows !== undefined && { shows }),
  });
  const sees = (what: string, pet: Pet | undefined): Step => {
    const text = petText(pet);
    return read(`${what}: ${text}`, (state) => petText(state.pet) === text, text);
  };

  if (kind === 'orders') return orders ? countSteps(id, operation, orders, read) : [];
  if (kind === 'pets') {
    const { after: start, upTo, status, pets } = operation;
    if (id <= start || id > upTo) return [];
    const what = `list${status === undefined ? '' : ` of ${status}`}`;
    const listed = pets.get(id);
    if (listed || status === undefined) return [sees(what, listed)];
    return [read(`${what}: not shown`, ({ pet }) => pet?.status !== status)];
  }
  if (kind === 'create' || operation.id !== id) return [];
  if (kind === 'get') return [sees('get', operation.result === 'missing' ? undefined : operation.result)];

  const { expected = {}, result } = operation;
  const what = `${kind} ${JSON.stringify(kind === 'update' ? operation.changes : {})} if ${JSON.stringify(expected)}`;
  const change = kind === 'update' ? operation.changes : undefined;
  if (result === 'missing') return [sees(what, undefined)];
  if (result === 'changed')
    return [read(`${what}: changed`, ({ pet }) => pet !== undefined && !isAs(pet, expected))];
  const [outcome, shows] = typeof result === 'string' ? [result] : [petText(result), petText(result)];
  return [
    {
      what: byCaller(`${what}: ${outcome}`),
      ...{ from, to: result === 'unknown' ? Infinity : to, changes: true },
      apply(state) {
        if (!state.pet || !isAs(state.pet, expected)) return undefined;
        const pet = change && withFields(state.pet, change);
        return shows === undefined || petText(pet) === shows ? after(state, pet) : undefined;
      },
      ...(shows !== undefined && { shows }),
    },
  ];
}

/** A page of orders shows those that the pet had at some moment. Its orders get ascending ids, so they are a beginning. */
function countSteps(
  id: number,
  { after: start, upTo, orders }: Extract<Operation, { kind: 'orders' }>,
  { all }: Orders,
  read: (what: string, fits: (state: PetState) => boolean) => Step,
): Step[] {
  const seen = new Set(orders.filter(({ petId }) => petId === id).map((order) => order.id));
  const least = all.findLastIndex((order) => seen.has(order.id)) + 1;
  const missing = all.findIndex((order) => order.id > start && order.id <= upTo && !seen.has(order.id));
  return [
    ...(least > 0 ? [read(`orders: at least ${least}`, (state) => state.orders.length >= least)] : []),
    ...(missing >= 0 ? [read(`orders: at most ${missing}`, (state) => state.orders.length <= missing)] : []),
  ];
}

/** One order for each change to pending or sold. */
function after({ pet: before, orders }: PetState, pet: Pet | undefined): PetState {
  const isOrdered = pet?.status === 'pending' || pet?.status === 'sold';
  const ordered = isOrdered && pet.status !== before?.status ? pet.status : undefined;
  return { pet, orders: ordered === undefined ? orders : [...orders, ordered] };
}

/** The same step, which must not order what nobody finds among the orders. */
function withOrders(step: Step, statuses: readonly string[]): Step {
  return {
    ...step,
    apply(state) {
      const next = step.apply(state);
      if (!next || next.orders.length === state.orders.length) return next;
      return next.orders.at(-1) === statuses[state.orders.length] ? next : undefined;
    },
  };
}
