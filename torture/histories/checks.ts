import { describe, expect, it } from 'bun:test';
import type { History, KeyLife, Operation, Order, Pet } from './history.ts';
import { judgeHistory } from './judge.ts';

/** `npm run torture` begins with these: the judge of histories itself is judged. */

const rex = { name: 'rex', categoryId: 1 };
const sold = { ...rex, status: 'sold' };
const end = 1000;

type Untimed<Kind> = Kind extends unknown ? Omit<Kind, 'caller' | 'from' | 'to'> : never;

/** An operation; without a second time, its outcome is unknown. */
function at(from: number, to: number, subject: Untimed<Operation>): Operation {
  return { ...subject, caller: 0, from, to };
}

const create = (from: number, to: number, pet: Pet = rex, isReplayed = false) =>
  at(from, to, { kind: 'create', pet, result: { id: 7, isReplayed } });
const get = (from: number, to: number, result: Pet | 'missing') =>
  at(from, to, { kind: 'get', id: 7, result });
const sell = (from: number, to: number, result: Pet | 'missing' | 'changed' | 'unknown' = sold) =>
  at(from, to, { kind: 'update', id: 7, changes: { status: 'sold' }, result });
const remove = (from: number, to: number) => at(from, to, { kind: 'delete', id: 7, result: 'deleted' });

const list = (from: number, to: number, pet?: Pet, status?: string): Operation => {
  const pets = new Map(pet ? [[7, pet]] : []);
  return at(from, to, {
    kind: 'pets',
    after: 0,
    upTo: Infinity,
    pets,
    ...(status !== undefined && { status }),
  });
};
const orders = (from: number, to: number, statuses: string[]): Operation => {
  const all: Order[] = statuses.map((status, index) => ({ id: index + 1, petId: 7, status }));
  return at(from, to, { kind: 'orders', after: 0, upTo: Infinity, orders: all });
};

/** Both walks at the end. */
const ends = (pet: Pet | undefined, statuses: string[] = []) => [
  list(end, end + 1, pet),
  orders(end, end + 1, statuses),
];

const judge = (operations: Operation[], others: Partial<History> = {}, graceMs = 0): string[] =>
  judgeHistory({ operations, keyUses: [], wrong: [], ...others }, graceMs).map(({ kind }) => kind);

describe('the judge of sound histories', () => {
  const right: Record<string, Operation[]> = {
    'reads in the order of the changes': [
      ...[create(0, 1), get(2, 3, rex), sell(4, 5), get(6, 7, sold), remove(8, 9), get(10, 11, 'missing')],
      ...ends(undefined, ['sold']),
    ],
    'either pet while it is changed, but the new one once it was seen': [
      ...[create(0, 1), sell(2, 20), get(3, 4, rex), get(5, 6, sold), get(7, 8, sold)],
      ...ends(sold, ['sold']),
    ],
    'a change without a response that took effect': [
      ...[create(0, 1), sell(2, Infinity, 'unknown'), get(3, 4, rex), get(5, 6, sold)],
      ...ends(sold, ['sold']),
    ],
    'a change without a response that never took effect': [
      ...[create(0, 1), sell(2, Infinity, 'unknown'), get(3, 4, rex)],
      ...ends(rex),
    ],
    'a pet that somebody found whose create had no response': [
      at(0, Infinity, { kind: 'create', pet: rex, result: 'unknown' }),
      ...[list(1, 2, rex), ...ends(rex)],
    ],
    'a refusal of what a concurrent change made unexpected': [
      ...[create(0, 1), sell(2, 9)],
      at(3, 5, { kind: 'delete', id: 7, expected: { status: null }, result: 'changed' }),
      ...ends(sold, ['sold']),
    ],
    'a filtered page without the pet before it was sold': [
      ...[create(0, 1), sell(2, 6), list(3, 5, undefined, 'sold'), list(7, 8, sold, 'sold')],
      ...ends(sold, ['sold']),
    ],
    'a second sale, which is no change and makes no order': [
      ...[create(0, 1, sold), sell(2, 3), ...ends(sold, ['sold'])],
    ],
    'a create that is repeated with its key, also after the delete': [
      at(0, Infinity, { kind: 'create', pet: rex, result: 'unknown' }),
      ...[create(1, 2), remove(3, 4), create(5, 6, rex, true), ...ends(undefined)],
    ],
  };
  for (const [title, operations] of Object.entries(right))
    it(`accepts ${title}`, () => expect(judge(operations)).toEqual([]));
});

describe('the judge of broken histories', () => {
  const wrong: Record<string, [string, Operation[]]> = {
    'an old pet after an acknowledged change': [
      'stale read',
      [create(0, 1), sell(2, 3), get(4, 5, rex), ...ends(sold, ['sold'])],
    ],
    'an old pet after somebody saw the new one, though the change still runs': [
      'stale read',
      [create(0, 1), sell(2, 20), get(3, 4, sold), get(5, 6, rex), ...ends(sold, ['sold'])],
    ],
    'no pet after it was created': ['stale read', [create(0, 1), get(2, 3, 'missing'), ...ends(rex)]],
    'a page with an old pet': [
      'stale read',
      [create(0, 1), sell(2, 3), list(4, 5, rex), ...ends(sold, ['sold'])],
    ],
    'a page without a pet that is there': ['stale read', [create(0, 1), list(2, 3), ...ends(rex)]],
    'a pet that never was': ['impossible response', [create(0, 1), get(2, 3, sold), ...ends(rex)]],
    'a filtered page without a pet that belongs there': [
      'impossible response',
      [create(0, 1, sold), list(2, 3, undefined, 'sold'), ...ends(sold, ['sold'])],
    ],
    'a filtered page with a pet that does not belong there': [
      'wrong page',
      [create(0, 1), list(2, 3, rex, 'sold'), ...ends(rex)],
    ],
    'a delete that was delivered once, found nothing, and yet happened': [
      'stale read',
      [create(0, 1), at(2, 3, { kind: 'delete', id: 7, result: 'missing' }), ...ends(undefined)],
    ],
    'a refusal without a reason': [
      'impossible response',
      [create(0, 1), sell(2, 3, 'changed'), ...ends(rex)],
    ],
    'a change without its order': ['missing order', [create(0, 1), sell(2, 3), ...ends(sold)]],
    'an order of another change': ['wrong orders', [create(0, 1), sell(2, 3), ...ends(sold, ['pending'])]],
    'an order that a page showed too late': [
      'wrong orders',
      [create(0, 1), sell(2, 3), orders(4, 5, []), ...ends(sold, ['sold'])],
    ],
    'an order of a pet that nobody saw': ['wrong orders', [orders(end, end + 1, ['sold'])]],
    'two pets of one create': [
      'doubled pet',
      [create(0, 1), list(2, 3, rex), at(4, 5, { kind: 'get', id: 8, result: rex }), ...ends(rex)],
    ],
    'a second create with the same key': ['wrong replay', [create(0, 1), create(2, 3), ...ends(rex)]],
    'a replay of nothing': ['wrong replay', [create(0, 1, rex, true), ...ends(rex)]],
  };
  for (const [title, [kind, operations]] of Object.entries(wrong))
    it(`finds ${title}: ${kind}`, () => expect(judge(operations)).toContain(kind));

  it('finds a pet with too many changes of unknown outcome: undecided pet', () => {
    const changes = Array.from({ length: 20 }, (_, index) =>
      at(2, Infinity, { kind: 'update', id: 7, changes: { categoryId: index + 10 }, result: 'unknown' }),
    );
    expect(judge([create(0, 1), ...changes, get(3, 4, sold), ...ends(rex)])).toEqual(['undecided pet']);
  });
});

describe('the judge of keys', () => {
  const life: KeyLife = { createdAt: 100, revokingAt: 200, revokedAt: 210 };
  const judgeUse = (from: number, to: number, isAccepted: boolean, graceMs = 0) =>
    judge([], { keyUses: [{ key: life, from, to, isAccepted }] }, graceMs);

  it('accepts either outcome while the command runs', () => {
    expect([...judgeUse(195, 205, true), ...judgeUse(195, 205, false)]).toEqual([]);
  });

  it('finds a revoked key that is accepted, and a new one that is refused', () => {
    expect(judgeUse(211, 215, true)).toEqual(['wrong key']);
    expect(judgeUse(101, 105, false)).toEqual(['wrong key']);
  });

  it('waits as long as the store may take', () => {
    expect([...judgeUse(1210, 1215, true, 1000), ...judgeUse(150, 160, false, 1000)]).toEqual([]);
    expect(judgeUse(1211, 1215, true, 1000)).toEqual(['wrong key']);
  });
});
