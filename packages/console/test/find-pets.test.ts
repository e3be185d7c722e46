import { describe, expect, it } from 'bun:test';
import type { Pet } from '../../client/src/index.ts';
import { findPets } from '../src/pets/find/find-pets.ts';
import { defaultQuery, readQuery, renderQuery, type PetQuery } from '../src/pets/find/query.ts';

const pets: Pet[] = [
  { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' },
  { id: 2n, name: 'Zoë', categoryId: -5n, status: 'sold' },
  { id: 3n, name: 'ИДА', categoryId: 2n ** 63n - 1n },
  { id: 7n, name: 'Sir Rexington 12', categoryId: 1n, status: 'sold' },
];
const idsOf = (query: Partial<PetQuery>): number[] =>
  findPets(pets, { ...defaultQuery, ...query }).pets.map(({ id }) => Number(id));

describe('findPets', () => {
  it('puts the newest first unless asked for the oldest', () => {
    expect(idsOf({})).toEqual([7, 3, 2, 1]);
    expect(idsOf({ order: 'oldest' })).toEqual([1, 2, 3, 7]);
  });

  it('finds parts of names without regard to case and accents', () => {
    expect(idsOf({ text: 'rEX' })).toEqual([7, 1]);
    expect(idsOf({ text: 'zoe' })).toEqual([2]);
    expect(idsOf({ text: 'ZOE\u0308' })).toEqual([2]);
    expect(idsOf({ text: 'ида' })).toEqual([3]);
  });

  it('finds category numbers and ids by the whole number', () => {
    expect(idsOf({ text: '7' })).toEqual([7, 1]);
    expect(idsOf({ text: '-5' })).toEqual([2]);
    expect(idsOf({ text: '9223372036854775807' })).toEqual([3]);
    expect(idsOf({ text: '922337203685477580' })).toEqual([]);
    expect(idsOf({ text: '12' })).toEqual([7]);
    expect(idsOf({ text: '99999999999999999999999' })).toEqual([]);
  });

  it('requires every word', () => {
    expect(idsOf({ text: ' rex  7 ' })).toEqual([7, 1]);
    expect(idsOf({ text: 'rex sir' })).toEqual([7]);
  });

  it('filters by status and counts every status among the matches', () => {
    expect(idsOf({ status: 'none' })).toEqual([3]);
    const found = findPets(pets, { ...defaultQuery, text: 'rex', status: 'sold' });
    expect(found.pets.map(({ id }) => id)).toEqual([7n]);
    expect(found.counts).toEqual({ all: 2, available: 1, pending: 0, sold: 1, none: 0 });
  });
});

describe('the query in the address', () => {
  it('survives a reload', () => {
    const queries: PetQuery[] = [
      defaultQuery,
      { text: 'Zoë & 100% #1?', status: 'none', order: 'oldest' },
      { text: ' ', status: 'sold', order: 'newest' },
    ];
    for (const query of queries) expect(readQuery(renderQuery(query))).toEqual(query);
    expect(renderQuery(defaultQuery)).toBe('');
  });

  it('ignores what it does not know', () => {
    expect(readQuery('?status=stolen&order=random&x=1')).toEqual(defaultQuery);
  });
});
