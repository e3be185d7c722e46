import { expect, it } from 'bun:test';
import type { SearchQuery } from '../../src/stores/store.ts';
import { searchWords } from '../../src/domain/fold.ts';
import type { NewPet } from '../../src/domain/pet.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

const shop: NewPet[] = [
  { name: 'Łucja', categoryId: 1n, status: 'available' },
  { name: 'Straße 100%', categoryId: 11n, status: 'sold' },
  { name: 'STRASSE 100_', categoryId: -(2n ** 63n), status: 'sold' },
  { name: 'Rex "categoryId":1} the Great', categoryId: 2n ** 63n - 1n },
  { name: 'Great Rex \\', categoryId: 1n, status: 'pending' },
  { name: '', categoryId: 12n },
];

/** The places in `shop` of what is found. */
async function search({ pets }: Store, request: Partial<SearchQuery>): Promise<number[]> {
  const { json } = await pets.searchPets({ limit: 100, ...request });
  return idsOf(json).map((id) => Number(id) - 1);
}

onEveryStore('a search', ({ open }) => {
  const openShop = async (): Promise<Store> => {
    const store = await open();
    for (const pet of shop) await store.pets.apply(createPet(pet));
    return store;
  };

  it('finds each word anywhere in the name, whatever its case and diacritics', async () => {
    const store = await openShop();
    const find = (query: string) => search(store, { words: searchWords(query) });
    expect(await find('lucja')).toEqual([0]);
    expect(await find('ŁUC')).toEqual([0]);
    expect(await find('strasse')).toEqual([2, 1]);
    expect(await find('great rex')).toEqual([4, 3]);
    expect(await find('rex cat')).toEqual([3]);
    expect(await find('rex zzz')).toEqual([]);
    expect(await find(' ')).toEqual([5, 4, 3, 2, 1, 0]);
    // These are ordinary characters.
    expect(await find('%')).toEqual([1]);
    expect(await find('100_')).toEqual([2]);
    expect(await find('\\')).toEqual([4]);
    expect(await find('r_x')).toEqual([]);
  });

  it('by id finds one pet, if it meets every other condition and follows the cursor', async () => {
    const store = await openShop();
    const find = (request: Partial<SearchQuery>) => search(store, { id: 2n, ...request });
    const all: Partial<SearchQuery> = { words: ['strasse'], categoryId: 11n, status: 'sold' };
    for (const request of [{}, all, { after: 3n }, { after: 1n, sort: 'oldest' as const }])
      expect(await find(request)).toEqual([1]);
    for (const request of [{ after: 2n }, { after: 2n, sort: 'oldest' as const }])
      expect(await find(request)).toEqual([]);
    for (const other of [{ words: ['rex'] }, { categoryId: 1n }, { status: 'available' as const }])
      expect(await find({ ...all, ...other })).toEqual([]);
    expect(await search(store, { id: 7n })).toEqual([]);
  });

  it('follows a change of the name at once', async () => {
    const store = await openShop();
    await store.pets.apply(updatePet(1n, { changes: { name: 'Żółw' } }));
    expect(await search(store, { words: ['zolw'] })).toEqual([0]);
    expect(await search(store, { words: ['lucja'] })).toEqual([]);
    await store.pets.apply(updatePet(1n, { changes: { status: 'sold' } }));
    expect(await search(store, { words: ['zolw'], status: 'sold' })).toEqual([0]);
    await store.pets.apply(deletePet(1n));
    expect(await search(store, { words: ['zolw'] })).toEqual([]);
  });
});
