import { describe, expect, it } from 'bun:test';
import { idempotencyIdOf } from '../../src/domain/change.ts';
import { renderPet, type NewPet, type PetFields } from '../../src/domain/pet.ts';
import { createPet, decide, deletePet, updatePet } from '../support/changes.ts';

const rex: NewPet = { name: 'Rex', categoryId: 7n };
const once = { caller: 'shop', key: 'once' };
const jsonOf = (id: bigint, pet: NewPet) => renderPet(id, pet);

const typesOf = ({ effects }: ReturnType<typeof decide>) => effects.events.map(({ type }) => type);

describe('a create', () => {
  it('is inserted, with its key, its order and its event', () => {
    const sold: NewPet = { ...rex, status: 'sold' };
    const { outcomes, effects } = decide([createPet(sold, once, 'till')]);
    const json = jsonOf(100n, sold);
    expect(outcomes).toEqual([{ id: 100n, json, isNew: true }]);
    expect([...effects.createdPets]).toEqual([[100n, { pet: sold, json }]]);
    expect(effects.orders).toEqual([
      { id: 100n, petId: 100n, ...rex, status: 'sold', createdAt: new Date(1), createdBy: 'till' },
    ]);
    const event = `{"type":"pet.created","createdAt":"1970-01-01T00:00:00.001Z","createdBy":"till","petId":100,"pet":${json}}`;
    expect(effects.events).toEqual([{ type: 'pet.created', createdAt: 1, petId: 100n, json: event }]);
  });

  it('is repeated only once, and a key names one pet', () => {
    const { outcomes, effects } = decide([
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
      { id: 103n, json: jsonOf(103n, rex), isNew: true },
      { id: 104n, json: jsonOf(104n, rex), isNew: true },
    ]);
    expect(effects.createdPets.size).toBe(3);
    expect(effects.events).toHaveLength(3);
  });

  it('is refused when all ids are used up, unlike an update', () => {
    const sell = updatePet(1n, { changes: { status: 'sold' } });
    const changes = [createPet({ ...rex, status: 'sold' }), createPet(rex), sell];
    const decideWith = (idsLeft: number) =>
      decide([...changes, updatePet(1n, { changes: { name: 'Tom' } })], { pets: { 1: rex }, idsLeft })
        .outcomes;
    const done = expect.objectContaining({ json: expect.any(String) });
    expect(decideWith(2)).toEqual([done, done, done, done]);
    // Without an id for its order, a sale cannot be recorded.
    expect(decideWith(1)).toEqual([done, 'ids-used-up', 'ids-used-up', done]);
    expect(decideWith(0)).toEqual(['ids-used-up', 'ids-used-up', 'ids-used-up', done]);
  });

  it('replays what the key created before the batch, even if that pet has changed', () => {
    const { idempotency } = createPet(rex, once);
    const holders = new Map([[idempotencyIdOf(once), { petId: 5n, requestHash: idempotency!.requestHash }]]);
    const { outcomes, effects } = decide([createPet(rex, once), createPet({ ...rex, name: 'Tom' }, once)], {
      holders,
    });
    expect(outcomes).toEqual([{ id: 5n, json: jsonOf(5n, rex), isNew: false }, 'conflict']);
    expect([effects.createdPets.size, effects.events.length]).toEqual([0, 0]);
  });
});

describe('changes of one pet', () => {
  it('build on each other', () => {
    const { outcomes, effects } = decide(
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
    expect([...effects.changedPets]).toEqual([[1n, { pet: pending, json: jsonOf(1n, pending) }]]);
    const previousOf = (json: string) => (JSON.parse(json) as { previous: unknown }).previous;
    expect(effects.events.map(({ json }) => previousOf(json))).toEqual([{ name: 'Rex' }, { status: null }]);
  });

  it('end with its delete', () => {
    const { outcomes, effects } = decide(
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
    expect([effects.changedPets.size, [...effects.deletedPets]]).toEqual([0, [1n]]);
    const { type, json: event } = effects.events.at(-1)!;
    expect([type, event]).toEqual([
      'pet.deleted',
      expect.stringContaining(`"createdBy":"boss","petId":1,"pet":${json}}`),
    ]);
  });

  it('may follow its create, which is still inserted, so that its id is used up', () => {
    const decided = decide([
      createPet(rex),
      updatePet(100n, { changes: { name: 'Tom' } }),
      createPet(rex),
      deletePet(101n),
    ]);
    expect([...decided.effects.createdPets].map(([id, { pet }]) => [id, pet.name])).toEqual([
      [100n, 'Tom'],
      [101n, 'Rex'],
    ]);
    expect([decided.effects.changedPets.size, [...decided.effects.deletedPets]]).toEqual([0, [101n]]);
    expect(typesOf(decided)).toEqual(['pet.created', 'pet.updated', 'pet.created', 'pet.deleted']);
  });

  it('do not write anything if nothing changes', () => {
    const decided = decide([updatePet(1n, { changes: { ...rex, status: null } })], { pets: { 1: rex } });
    expect(decided.outcomes).toEqual([{ id: 1n, json: jsonOf(1n, rex), isNew: false }]);
    expect([decided.effects.changedPets.size, decided.effects.events.length]).toEqual([0, 0]);
  });

  it('are refused one by one', () => {
    const { outcomes } = decide(
      [
        updatePet(1n, { changes: { name: 'Tom' } }, jsonOf(1n, { ...rex, name: 'other' })),
        deletePet(1n, jsonOf(1n, rex)),
        updatePet(2n, { changes: { name: 'Tom' } }),
      ],
      { pets: { 1: rex } },
    );
    expect(outcomes).toEqual(['if-match', { id: 1n, json: jsonOf(1n, rex), isNew: false }, 'missing']);
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
    const { effects } = decide(statusesOf('available', 'sold', undefined, 'pending', 'sold'), {
      pets: { 1: { ...rex, status: 'sold' } },
    });
    expect([...effects.returns]).toEqual([[1n, { returnedAt: new Date(1), returnedBy: 'till-0' }]]);
    expect(effects.orders).toEqual([
      {
        ...{ id: 100n, petId: 1n, ...rex, status: 'sold', createdAt: new Date(2), createdBy: 'till-1' },
        ...{ returnedAt: new Date(3), returnedBy: 'till-2' },
      },
      { id: 101n, petId: 1n, ...rex, status: 'pending', createdAt: new Date(4), createdBy: 'till-3' },
      { id: 102n, petId: 1n, ...rex, status: 'sold', createdAt: new Date(5), createdBy: 'till-4' },
    ]);
  });

  it('stay open when their pet is deleted', () => {
    const { effects } = decide([...statusesOf('sold'), deletePet(1n)], { pets: { 1: rex } });
    expect([effects.returns.size, effects.orders.length]).toEqual([0, 1]);
    expect(effects.orders[0]?.returnedAt).toBeUndefined();
  });
});

describe('changes of keys', () => {
  const till = {
    ...{ name: 'till', hash: 'hash', lastFour: 'last', isReadOnly: false, mayDelete: true },
    createdAt: new Date(1),
  };
  const revoke = (id: bigint, ms: number) => ({ kind: 'revoke-key', id, revokedAt: new Date(ms) }) as const;
  const use = (id: bigint, ms: number) => ({ kind: 'note-key-use', id, usedAt: new Date(ms) }) as const;

  it('create a key, and do not write an event', () => {
    const { outcomes, effects } = decide([{ kind: 'create-key', key: till }]);
    expect(outcomes).toEqual([{ ...till, id: '100' }]);
    expect([...effects.createdKeys]).toEqual([[100n, { ...till, id: '100' }]]);
    expect(effects.events).toEqual([]);
  });

  it('move a revocation only to an earlier time and a use only to a later one', () => {
    const keys = [{ ...till, id: '7' }];
    const changes = [revoke(7n, 50), use(7n, 20), revoke(7n, 40), revoke(7n, 60), use(7n, 10), use(8n, 10)];
    const { outcomes, effects } = decide(changes, { keys });
    const revoked = { ...till, id: '7', revokedAt: new Date(40), lastUsedAt: new Date(20) };
    expect(outcomes.slice(3)).toEqual([revoked, revoked, 'missing']);
    expect([...effects.changedKeys]).toEqual([[7n, revoked]]);
    expect(decide([revoke(7n, 40), use(7n, 20)], { keys: [revoked] }).effects.changedKeys.size).toBe(0);
  });
});
