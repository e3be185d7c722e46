import { expect, it } from 'bun:test';
import type { SearchQuery } from '../../src/stores/store.ts';
import { searchWords } from '../../src/domain/fold.ts';
import type { Store } from '../support/http/service.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

/** The names that a search finds, newest first. */
async function search({ pets }: Store, query: string, filter: Partial<SearchQuery> = {}): Promise<string[]> {
  const { json } = await pets.searchPets({ limit: 100, words: searchWords(query), ...filter });
  return (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
}

onEveryStore('a search', ({ open }) => {
  it('finds every word in the name, in any order, and each character stands for itself', async () => {
    const store = await open();
    const names = ['Great Rex', 'Rex "categoryId":1} the Great', '100%', '100_', '\\'];
    for (const name of names) await store.pets.apply(createPet({ name, categoryId: 1n }));
    expect(await search(store, 'great rex')).toEqual([names[1]!, names[0]!]);
    expect(await search(store, 'rex cat')).toEqual([names[1]!]);
    expect(await search(store, 'rex zzz')).toEqual([]);
    expect(await search(store, '%')).toEqual(['100%']);
    for (const name of ['100_', '\\']) expect(await search(store, name)).toEqual([name]);
    expect(await search(store, ' ')).toEqual(names.toReversed());
  });

  it('by id finds one pet, if it meets every other condition and follows the cursor', async () => {
    const store = await open();
    const inserted = { name: 'Straße', categoryId: 11n, status: 'sold' } as const;
    for (const pet of [{ ...inserted, name: 'Rex' }, inserted]) await store.pets.apply(createPet(pet));
    const find = (request: Partial<SearchQuery>) => search(store, '', { id: 2n, ...request });
    const all: Partial<SearchQuery> = { words: ['strasse'], categoryId: 11n, status: 'sold' };
    for (const request of [{}, all, { after: 3n }, { after: 1n, sort: 'oldest' as const }])
      expect(await find(request)).toEqual(['Straße']);
    for (const request of [{ after: 2n }, { after: 2n, sort: 'oldest' as const }])
      expect(await find(request)).toEqual([]);
    for (const other of [{ words: ['rex'] }, { categoryId: 1n }, { status: 'available' as const }])
      expect(await find({ ...all, ...other })).toEqual([]);
    expect(await search(store, '', { id: 7n })).toEqual([]);
  });

  it('follows a change of the name at once', async () => {
    const store = await open();
    await store.pets.apply(createPet({ name: 'Łucja', categoryId: 1n }));
    await store.pets.apply(updatePet(1n, { changes: { name: 'Żółw' } }));
    expect(await search(store, 'zolw')).toEqual(['Żółw']);
    expect(await search(store, 'lucja')).toEqual([]);
    await store.pets.apply(updatePet(1n, { changes: { status: 'sold' } }));
    expect(await search(store, 'zolw', { status: 'sold' })).toEqual(['Żółw']);
    await store.pets.apply(deletePet(1n));
    expect(await search(store, 'zolw')).toEqual([]);
  });
});
