import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../../test/support/http/listening.ts';
import { Categories } from '../../../src/console/categories/categories.ts';
import { CategoryNames } from '../../../src/console/categories/category-names.ts';

const largest = 2n ** 63n - 1n;

describe('CategoryNames', () => {
  const names = new CategoryNames([
    { id: -3n, name: 'Réptiles' },
    { id: 1n, name: 'Dogs' },
    { id: 7n, name: 'Small dogs' },
    { id: 9n, name: ' DOGS ' },
    { id: 12n, name: '8' },
  ]);

  it('tells the name of a number, or the number', () => {
    const told = [1n, 2n, 7n, largest].map((id) => names.nameOrNumber(id));
    expect(told).toEqual(['Dogs (1)', '2', 'Small dogs', `${largest}`]);
    expect(names.nameOf(2n)).toBeUndefined();
  });

  it.each<[string, bigint | undefined]>([
    ['dogs', 1n],
    ['dogs (9)', 9n],
    ['  Dögs ', 1n],
    ['reptiles', -3n],
    ['dog', undefined],
    ['', undefined],
    [' 7 ', 7n],
    ['-3', -3n],
    // A number is a number, whatever others are called.
    ['8', 8n],
    [`${largest}`, largest],
  ])('reads %p as the number %p', (text, id) => {
    expect(names.numberOf(text)).toBe(id);
  });

  it.each<[string, bigint[]]>([
    ['dog', [1n, 7n, 9n]],
    ['DOG small', [7n]],
    ['reptil', [-3n]],
    ['cats', []],
    [' ', []],
  ])('finds for %p what a search of pets would', (text, ids) => {
    expect(names.find(text).map(({ id }) => id)).toEqual(ids);
  });
});

describe('Categories', () => {
  it('takes the number after the one that somebody else was faster to name', async () => {
    await using service = await openListeningService();
    const { client } = service;
    await client.putCategory(4n, 'Dogs');
    const categories = new Categories({ client, onChange() {} });
    await categories.load();
    await client.putCategory(5n, 'Cats');
    await categories.create('Hamsters');
    expect(categories.names.numberOf('Hamsters')).toBe(6n);
    expect((await client.listCategories()).categories).toEqual([...categories.names.list]);
    // Both tills meant the same category.
    await client.putCategory(7n, 'Fish');
    await categories.create('fish');
    expect(categories.names.list.map(({ name }) => name)).toEqual(['Dogs', 'Cats', 'Hamsters', 'Fish']);
  });
});
