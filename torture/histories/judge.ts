import {
  ownName,
  petText,
  type Fault,
  type History,
  type Operation,
  type Order,
  type Pet,
} from './history.ts';
import { linearize, type Step } from './linearize.ts';
import { createStep, stepsOf } from './steps.ts';

/**
 * Holds a history to what the contract promises:
 * - The operations on each pet, refused ones included, can be put into an order in which each takes effect between its
 *   request and its response, and every response is right. One without a response took effect later, or never.
 * - A page shows each pet as it was at some moment of the request, in ascending order of id, and leaves out none that
 *   was there all the time. So a walk misses no pet and shows none twice.
 * - Each change to pending or sold that took effect made one order, in the order of the changes, and nothing else did.
 * - A key is accepted once it is made and refused once it is revoked, `graceMs` after the command ended.
 * - A repeated create with the same idempotency key gives the first pet.
 * The last operations must be whole walks through pets and orders, after all others.
 */
export function judgeHistory(history: History, graceMs: number): Fault[] {
  const { operations } = history;
  const creates = Map.groupBy(
    operations.filter((operation) => operation.kind === 'create'),
    ({ pet }) => pet.name,
  );
  const names = namesOf(operations);
  const ordersOf = Map.groupBy(finalOrders(operations), ({ petId }) => petId);
  const strangers = [...ordersOf.keys()].filter((id) => !names.has(id));
  return [
    ...history.wrong.map((text): Fault => ({ kind: 'wrong response', text })),
    ...operations.flatMap(judgePage),
    ...judgeKeys(history, graceMs),
    ...[...creates].flatMap(([name, attempts]) => judgeReplays(name, attempts)),
    ...judgeNames(names, new Set(creates.keys())),
    ...strangers.map((id): Fault => ({
      kind: 'wrong orders',
      text: `pet ${id} has orders, and nobody saw it`,
    })),
    ...[...names].flatMap(([id, [name = '']]) => {
      const attempts = creates.get(name) ?? [];
      const first = attempts[0];
      const times = attempts.map(({ result, to }) => (result === 'unknown' ? Infinity : to));
      const from = Math.min(...attempts.map((attempt) => attempt.from));
      const created = first && createStep(first.pet, from, Math.min(...times));
      return judgePet(id, created, operations, ordersOf.get(id) ?? []);
    }),
  ];
}

function judgePet(id: number, created: Step | undefined, operations: Operation[], orders: Order[]): Fault[] {
  const ordered = orders.toSorted((one, other) => one.id - other.id);
  const statuses = ordered.map(({ status }) => status);
  const steps = stepsOf(id, created, operations, ordered);
  const order = linearize(steps);
  const history = linesOf(steps);
  if (order.verdict === 'found' && order.ends.some((end) => end.orders.length === statuses.length)) return [];
  if (order.verdict === 'undecided') {
    return [
      { kind: 'undecided pet', text: `pet ${id}: too many orders to try at ${order.at.what}`, history },
    ];
  }
  const withoutOrders = linearize(stepsOf(id, created, operations, undefined));
  if (withoutOrders.verdict === 'found') {
    const expected = withoutOrders.ends.map((end) => end.orders);
    const kind = expected.every(({ length }) => length > statuses.length) ? 'missing order' : 'wrong orders';
    const text = `pet ${id}: ${kind}: its changes call for [${expected[0]?.join()}], and its orders are [${statuses.join()}]`;
    return [{ kind, text, history }];
  }
  const { at, before, verdict } = withoutOrders;
  const isOld =
    steps.some(({ shows, to }) => shows === at.shows && to < at.from) || at.shows === petText(undefined);
  const kind = !at.changes && at.shows !== undefined && isOld ? 'stale read' : 'impossible response';
  const were = [...new Set(before.map(({ pet }) => petText(pet)))].slice(0, 3).join(' or ');
  const text = `pet ${id}: ${verdict === 'undecided' ? 'undecided' : kind}: ${lineOf(at)}, when it was ${were}`;
  return [{ kind: verdict === 'undecided' ? 'undecided pet' : kind, text, history }];
}

/** The own names under which each pet was seen; one, if all is well. */
function namesOf(operations: readonly Operation[]): Map<number, string[]> {
  const names = new Map<number, string[]>();
  const note = (id: number, { name }: Pet): void => {
    const known = names.get(id) ?? [];
    if (!known.includes(ownName(name))) names.set(id, [...known, ownName(name)]);
  };
  for (const operation of operations) {
    if (operation.kind === 'pets') operation.pets.forEach((pet, id) => note(id, pet));
    else if (operation.kind === 'create') {
      if (operation.result !== 'unknown') note(operation.result.id, operation.pet);
    } else if (operation.kind !== 'orders' && typeof operation.result === 'object') {
      note(operation.id, operation.result);
    }
  }
  return names;
}

function judgeNames(names: Map<number, string[]>, created: ReadonlySet<string>): Fault[] {
  const idsOf = Map.groupBy(
    [...names].flatMap(([id, own]) => own.map((name) => ({ id, name }))),
    ({ name }) => name,
  );
  return [
    ...[...names]
      .filter(([, { length }]) => length > 1)
      .map(([id, own]) => `the id ${id} is used for ${own.join()}`),
    ...[...idsOf]
      .filter(([, { length }]) => length > 1)
      .map(([name, ids]) => `${name} is there ${ids.length} times`),
    ...[...idsOf.keys()].filter((name) => !created.has(name)).map((name) => `nobody created ${name}`),
  ].map((text) => ({ kind: 'doubled pet', text }));
}

function judgeReplays(name: string, attempts: readonly Extract<Operation, { kind: 'create' }>[]): Fault[] {
  const known = attempts.flatMap(({ result, from, to }) =>
    result === 'unknown' ? [] : [{ ...result, from, to }],
  );
  const firsts = known.filter(({ isReplayed }) => !isReplayed);
  const late = firsts.filter(({ from }) => known.some(({ to }) => to < from));
  const isSingle = attempts.length === 1 && known[0]?.isReplayed;
  if (firsts.length <= 1 && late.length === 0 && !isSingle) return [];
  return [
    { kind: 'wrong replay', text: `${name}: ${JSON.stringify(known)} from ${attempts.length} attempts` },
  ];
}

function judgePage(operation: Operation): Fault[] {
  if (operation.kind !== 'pets' && operation.kind !== 'orders') return [];
  const { kind, after, upTo, from } = operation;
  const ids = kind === 'pets' ? [...operation.pets.keys()] : operation.orders.map(({ id }) => id);
  const isAscending = ids.every((id, index) => id > (ids[index - 1] ?? after) && id <= upTo);
  const status = kind === 'pets' ? operation.status : undefined;
  const isFiltered =
    status === undefined ||
    (kind === 'pets' && [...operation.pets.values()].every((pet) => pet.status === status));
  if (isAscending && isFiltered) return [];
  return [{ kind: 'wrong page', text: `${kind} after ${after} at ${from.toFixed(1)} ms: ${ids.join()}` }];
}

function judgeKeys({ keyUses }: History, graceMs: number): Fault[] {
  return keyUses.flatMap(({ key, from, to, isAccepted }): Fault[] => {
    const when = `from ${from.toFixed(1)} to ${to.toFixed(1)} ms`;
    if (isAccepted && from > key.revokedAt + graceMs)
      return [
        { kind: 'wrong key', text: `a key revoked at ${key.revokedAt.toFixed(1)} ms is accepted ${when}` },
      ];
    if (!isAccepted && from > key.createdAt + graceMs && to < key.revokingAt)
      return [
        { kind: 'wrong key', text: `a key created at ${key.createdAt.toFixed(1)} ms is refused ${when}` },
      ];
    return [];
  });
}

/** Those of the walk at the end, and those that it has lost: an order never goes away. */
function finalOrders(operations: readonly Operation[]): Order[] {
  const all = operations.flatMap((operation) => (operation.kind === 'orders' ? operation.orders : []));
  return [...new Map(all.map((order) => [order.id, order])).values()];
}

function linesOf(steps: readonly Step[]): string[] {
  return steps.toSorted((one, other) => one.from - other.from).map(lineOf);
}

function lineOf({ what, from, to }: Step): string {
  return `${from.toFixed(1)} to ${to === Infinity ? '?' : to.toFixed(1)} ms, ${what}`;
}
