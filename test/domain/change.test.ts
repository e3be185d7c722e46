import { describe, expect, it } from 'bun:test';
import { keyOf } from '../../src/domain/change.ts';
import { renderPet, type NewPet, type PetFields } from '../../src/domain/pet.ts';
import { createPet, decide, deletePet, updatePet } from '../support/changes.ts';

const rex: NewPet = { name: 'Rex', categoryId: 7n };
const once = { caller: 'shop', key: 'once' };
const jsonOf = (id: bigint, pet: NewPet) => renderPet(id, pet);

const typesOf = ({ writes }: ReturnType<typeof decide>) => writes.events.map(({ type }) => type);

describe('a create', () => {
  it('is inserted, with its key, its order and its event', () => {
    const sold: NewPet = { ...rex, status: 'sold' };
    const { outcomes, writes } = decide([createPet(sold, once, 'till')]);
    const json = jsonOf(100n, sold);
    expect(outcomes).toEqual([{ id: 100n, json, isNew: true }]);
    expect([...writes.inserted]).toEqual([[100n, { pet: sold, json }]]);
    expect([...writes.keys.values()]).toEqual([
      expect.objectContaining({ ...once, petId: 100n, createdAt: new Date(1) }),
    ]);
    expect(writes.orders).toEqual([
      { petId: 100n, ...rex, status: 'sold', createdAt: new Date(1), createdBy: 'till' },
    ]);
    expect(writes.events).toEqual([
      { type: 'pet.created', createdAt: 1, createdBy: 'till', petId: 100n, json },
    ]);
  });

  it('is repeated only once, and a key names one pet', () => {
    const { outcomes, writes } = decide([
      createPet(rex, once),
      createPet(rex, once),
      createPet({ ...rex, name: 'Tom' }, once),
      createPet(rex, { ...once, caller: 'other' }),
      createPet(rex),
    ]);
    expect(outcomes).toEqual([
      { id: 100n, json: jsonOf(100n, rex), isNew: true },
      { id: 100n, json: jsonOf(100n, rex), isNew: false },
      'conflict',
      { id: 101n, json: jsonOf(101n, rex), isNew: true },
      { id: 102n, json: jsonOf(102n, rex), isNew: true },
    ]);
    expect(writes.inserted.size).toBe(3);
    expect(writes.events).toHaveLength(3);
  });

  it('replays what the key created before the batch, even if that pet has changed', () => {
    const { idempotency } = createPet(rex, once);
    const holders = new Map([[keyOf(once), { petId: 5n, requestHash: idempotency!.requestHash }]]);
    const { outcomes, writes } = decide([createPet(rex, once), createPet({ ...rex, name: 'Tom' }, once)], {
      holders,
    });
    expect(outcomes).toEqual([{ id: 5n, json: jsonOf(5n, rex), isNew: false }, 'conflict']);
    expect([writes.inserted.size, writes.keys.size, writes.events.length]).toEqual([0, 0, 0]);
  });
});

describe('changes of one pet', () => {
  it('build on each other', () => {
    const { outcomes, writes } = decide(
      [
        updatePet(1n, { changes: { name: 'Tom' } }),
        updatePet(1n, { changes: { status: 'pending' }, expected: { name: 'Tom', status: null } }),
        updatePet(1n, { changes: { status: 'sold' }, expected: { name: 'Rex' } }),
      ],
      { pets: { 1: rex } },
    );
    const tom: NewPet = { name: 'Tom', categoryId: 7n };
    const pending: NewPet = { ...tom, status: 'pending' };
    expect(outcomes).toEqual([
      { id: 1n, json: jsonOf(1n, tom), isNew: false },
      { id: 1n, json: jsonOf(1n, pending), isNew: false },
      'changed',
    ]);
    expect([...writes.changed]).toEqual([[1n, { pet: pending, json: jsonOf(1n, pending) }]]);
    expect(writes.events.map(({ previous }) => previous)).toEqual(['{"name":"Rex"}', '{"status":null}']);
  });

  it('end with its delete', () => {
    const { outcomes, writes } = decide(
      [
        updatePet(1n, { changes: { name: 'Tom' } }),
        deletePet(1n, undefined, 'boss'),
        deletePet(1n),
        updatePet(1n, { changes: { name: 'Max' } }),
      ],
      { pets: { 1: rex } },
    );
    const json = jsonOf(1n, { ...rex, name: 'Tom' });
    expect(outcomes.slice(1)).toEqual([{ id: 1n, json, isNew: false }, 'missing', 'missing']);
    expect([writes.changed.size, [...writes.deleted]]).toEqual([0, [1n]]);
    expect(writes.events.at(-1)).toMatchObject({ type: 'pet.deleted', createdBy: 'boss', json });
  });

  it('may follow its create, which is still inserted, so that its id is used up', () => {
    const decided = decide([
      createPet(rex),
      updatePet(100n, { changes: { name: 'Tom' } }),
      createPet(rex),
      deletePet(101n),
    ]);
    expect([...decided.writes.inserted].map(([id, { pet }]) => [id, pet.name])).toEqual([
      [100n, 'Tom'],
      [101n, 'Rex'],
    ]);
    expect([decided.writes.changed.size, [...decided.writes.deleted]]).toEqual([0, [101n]]);
    expect(typesOf(decided)).toEqual(['pet.created', 'pet.updated', 'pet.created', 'pet.deleted']);
  });

  it('write nothing if nothing changes', () => {
    const decided = decide([updatePet(1n, { changes: { ...rex, status: null } })], { pets: { 1: rex } });
    expect(decided.outcomes).toEqual([{ id: 1n, json: jsonOf(1n, rex), isNew: false }]);
    expect([decided.writes.changed.size, decided.writes.events.length]).toEqual([0, 0]);
  });

  it('are refused one by one', () => {
    const { outcomes } = decide(
      [
        updatePet(1n, { changes: { name: 'Tom' } }, jsonOf(1n, { ...rex, name: 'other' })),
        deletePet(1n, jsonOf(1n, rex)),
        updatePet(2n, { changes: { name: 'Tom' } }),
        deletePet(3n),
      ],
      { pets: { 1: rex, 3: 'damaged' } },
    );
    expect(outcomes).toEqual([
      'if-match',
      { id: 1n, json: jsonOf(1n, rex), isNew: false },
      'missing',
      'damaged',
    ]);
  });

  it.each<[PetFields, boolean]>([
    [{}, true],
    [{ name: 'Rex', categoryId: 7n, status: null }, true],
    [{ status: 'available' }, false],
    [{ name: 'rex' }, false],
    [{ categoryId: 8n }, false],
  ])('compare what is expected: %p', (expected, isMet) => {
    const { outcomes } = decide([updatePet(1n, { changes: { name: 'Tom' }, expected })], {
      pets: { 1: rex },
    });
    expect(outcomes[0] === 'changed').toBe(!isMet);
  });
});

describe('orders of a batch', () => {
  const statusesOf = (...statuses: NewPet['status'][]) =>
    statuses.map((status, index) =>
      updatePet(1n, { changes: { status: status ?? null } }, undefined, `till-${index}`),
    );

  it('are returned once: those from before by the first return, those of the batch by the next', () => {
    const { writes } = decide(statusesOf('available', 'sold', undefined, 'pending', 'sold'), {
      pets: { 1: { ...rex, status: 'sold' } },
    });
    expect([...writes.returns]).toEqual([[1n, { returnedAt: new Date(1), returnedBy: 'till-0' }]]);
    expect(writes.orders).toEqual([
      {
        ...{ petId: 1n, ...rex, status: 'sold', createdAt: new Date(2), createdBy: 'till-1' },
        ...{ returnedAt: new Date(3), returnedBy: 'till-2' },
      },
      { petId: 1n, ...rex, status: 'pending', createdAt: new Date(4), createdBy: 'till-3' },
      { petId: 1n, ...rex, status: 'sold', createdAt: new Date(5), createdBy: 'till-4' },
    ]);
  });

  it('stay open when their pet is deleted', () => {
    const { writes } = decide([...statusesOf('sold'), deletePet(1n)], { pets: { 1: rex } });
    expect([writes.returns.size, writes.orders.length]).toEqual([0, 1]);
    expect(writes.orders[0]?.returnedAt).toBeUndefined();
  });
});
