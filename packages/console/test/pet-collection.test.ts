import { describe, expect, it } from 'bun:test';
import type { Pet, PetStatus } from '../../client/src/index.ts';
import { PetCollection } from '../src/pets/data/pet-collection.ts';

const petOf = (id: bigint, status?: PetStatus, name = `Pet ${id}`): Pet => ({
  id,
  name,
  categoryId: 1n,
  ...(status && { status }),
});
const idsOf = ({ pets }: PetCollection): bigint[] => pets.map(({ id }) => id);

function collectionOf(...pets: Pet[]): PetCollection {
  const collection = new PetCollection();
  collection.apply({ after: undefined, pets, isLast: true, asOf: 0 }, false);
  return collection;
}

describe('PetCollection', () => {
  it('keeps pets in order of id and counts them by status', () => {
    const collection = collectionOf(petOf(1n, 'sold'), petOf(9n));
    collection.add(petOf(5n, 'available'));
    collection.add(petOf(2n ** 63n - 1n, 'sold'));
    expect(idsOf(collection)).toEqual([1n, 5n, 9n, 2n ** 63n - 1n]);
    expect(collection.counts).toEqual({ available: 1, pending: 0, sold: 2, none: 1 });
    expect(collection.get(5n)?.name).toBe('Pet 5');
    expect(collection.get(6n)).toBeUndefined();
  });

  it('replaces and removes a pet and keeps the counts right', () => {
    const collection = collectionOf(petOf(1n, 'available'), petOf(2n, 'available'));
    collection.replace(petOf(2n, 'sold'));
    collection.remove(1n);
    collection.remove(7n);
    expect(idsOf(collection)).toEqual([2n]);
    expect(collection.counts).toEqual({ available: 0, pending: 0, sold: 1, none: 0 });
  });

  it('changes only the range that a slice covers', () => {
    const collection = collectionOf(petOf(1n), petOf(2n), petOf(3n), petOf(4n), petOf(5n));
    const slice = { after: 1n, pets: [petOf(2n, 'sold'), petOf(4n)], isLast: false };
    collection.apply({ ...slice, asOf: collection.clock }, true);
    expect(idsOf(collection)).toEqual([1n, 2n, 4n, 5n]);
    expect(collection.get(2n)?.status).toBe('sold');
    collection.apply({ after: 2n, pets: [], isLast: true, asOf: collection.clock }, true);
    expect(idsOf(collection)).toEqual([1n, 2n]);
    expect(collection.counts).toEqual({ available: 0, pending: 0, sold: 1, none: 1 });
  });

  it('does not undo its own changes with an older response', () => {
    const collection = collectionOf(petOf(1n, 'available'), petOf(2n), petOf(3n));
    const asOf = collection.clock;
    collection.replace(petOf(1n, 'sold'));
    collection.remove(2n);
    collection.add(petOf(4n));
    const pets = [petOf(1n, 'available'), petOf(2n), petOf(3n)];
    collection.apply({ after: undefined, pets, isLast: true, asOf }, true);
    expect(idsOf(collection)).toEqual([1n, 3n, 4n]);
    expect(collection.get(1n)?.status).toBe('sold');
    // A later response shows what others did since.
    collection.apply({ after: undefined, pets, isLast: true, asOf: collection.clock }, true);
    expect(idsOf(collection)).toEqual([1n, 2n, 3n]);
    expect(collection.get(1n)?.status).toBe('available');
  });

  it('tells its listeners about changes only, and keeps unchanged pets as they are', () => {
    const collection = collectionOf(petOf(1n), petOf(2n));
    let calls = 0;
    const unsubscribe = collection.subscribe(() => (calls += 1));
    const before = collection.get(1n);
    const slice = { after: undefined, isLast: true, asOf: collection.clock };
    collection.apply({ ...slice, pets: [petOf(1n), petOf(2n)] }, true);
    expect(calls).toBe(0);
    collection.apply({ ...slice, pets: [petOf(1n), petOf(2n, 'sold')] }, true);
    expect(calls).toBe(1);
    expect(collection.get(1n)).toBe(before);
    unsubscribe();
    collection.remove(1n);
    expect(calls).toBe(1);
  });

  it('marks pets that appear later as new, until they settle', () => {
    const collection = collectionOf(petOf(1n));
    const slice = { after: undefined, isLast: true, asOf: collection.clock };
    collection.apply({ ...slice, pets: [petOf(1n), petOf(2n)] }, true);
    collection.add(petOf(3n));
    expect([1n, 2n, 3n].map((id) => collection.isNew(id))).toEqual([false, true, true]);
    collection.settle(Date.now() - 1000);
    expect(collection.isNew(2n)).toBe(true);
    collection.settle(Date.now() + 1000);
    expect(collection.isNew(2n)).toBe(false);
  });

  it('holds 50,000 pets', () => {
    const collection = new PetCollection();
    for (let page = 0; page < 500; page++) {
      const pets = Array.from({ length: 100 }, (_, index) => petOf(BigInt(page * 100 + index + 1), 'sold'));
      const after = page === 0 ? undefined : BigInt(page * 100);
      collection.apply({ after, pets, isLast: page === 499, asOf: collection.clock }, false);
    }
    expect(collection.pets.length).toBe(50_000);
    expect(collection.counts.sold).toBe(50_000);
    expect(collection.get(31_337n)?.name).toBe('Pet 31337');
    collection.apply({ after: undefined, pets: [], isLast: true, asOf: collection.clock }, false);
    expect(collection.counts.sold).toBe(0);
  });

  it('keeps a hidden pet out of the list until it is shown again', () => {
    const collection = collectionOf(petOf(1n, 'available'), petOf(2n, 'sold'));
    collection.hide(petOf(1n, 'available'));
    const pets = [petOf(1n, 'pending'), petOf(2n, 'sold')];
    collection.apply({ after: undefined, pets, isLast: true, asOf: collection.clock }, true);
    expect(idsOf(collection)).toEqual([2n]);
    expect(collection.counts).toEqual({ available: 0, pending: 0, sold: 1, none: 0 });
    collection.show(1n);
    expect(collection.pets).toEqual(pets);
    expect(collection.counts).toEqual({ available: 0, pending: 1, sold: 1, none: 0 });
  });

  it('forgets a hidden pet that is removed', () => {
    const collection = collectionOf(petOf(1n), petOf(2n));
    const asOf = collection.clock;
    collection.hide(petOf(1n));
    collection.remove(1n);
    collection.show(1n);
    collection.apply({ after: undefined, pets: [petOf(1n), petOf(2n)], isLast: true, asOf }, true);
    expect(idsOf(collection)).toEqual([2n]);
  });
});
