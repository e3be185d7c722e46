import { describe, expect, it } from 'bun:test';
import { storeAt } from '../../../src/stores/open.ts';
import { makePostgresPlace } from '../../support/postgres/place.ts';
import { exported, importText } from '../../support/process/files.ts';
import { makeFolder, runCli } from '../../support/process/process.ts';

const places = [
  {
    store: 'the embedded store',
    makePlace: async () => {
      const folder = makeFolder();
      return { address: folder.database, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
    },
  },
  { store: 'PostgreSQL', makePlace: () => makePostgresPlace() },
];

async function openImport(address: string) {
  const store = await storeAt(address).openImport({ environment: process.env });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

const categoriesIn = async (address: string): Promise<string[]> =>
  (await exported(address))
    .trimEnd()
    .split('\n')
    .map((line) => /"categoryId":(-?\d+)/.exec(line)?.[1] ?? line);

describe.each(places)('categories in a file imported into $store', ({ makePlace }) => {
  it('are found by number or name, and named if they are new', async () => {
    await using place = await makePlace();
    {
      await using store = await openImport(place.address);
      await store.nameCategories([
        { id: 3n, name: 'Cats' },
        { id: 9n, name: 'CATS' },
      ]);
      // A number keeps its name.
      await store.nameCategories([{ id: 3n, name: 'Dogs' }]);
    }
    const text = 'name,category\nRex,Dögs\nTom, cáts \nBo,7\nKit,DOGS\nJo,Fish\n';
    expect((await importText(text, place.address)).stdout).toEndWith(' New categories: 10 Dögs, 11 Fish.\n');
    const lines =
      '{"name":"A","category":7}\n{"name":"B","category":"dogs"}\n{"name":"C","categoryId":2,"category":"Fish"}\n';
    expect((await importText(lines, place.address)).stdout).not.toContain('New categories');
    expect(await categoriesIn(place.address)).toEqual(['10', '3', '7', '10', '11', '7', '10', '2']);
  });

  it('get no number that pets carry, because the name would be theirs, too', async () => {
    await using place = await makePlace();
    await importText('name,categoryId\nRex,1\nTom,2\nMax,9223372036854775807\n', place.address);
    const { stdout } = await importText('name,category\nMia,Fish\nBo,Dogs\n', place.address);
    expect(stdout).toEndWith(' New categories: 3 Fish, 4 Dogs.\n');
  });

  it('come back from a spreadsheet, in which a number counts more than a name', async () => {
    await using place = await makePlace();
    await importText('name,category\nRex,Dogs\nTom,5\n', place.address);
    const { stdout } = await runCli(['export', '--excel', '--database-url', place.address], {
      env: { LANG: 'C' },
    });
    expect(stdout).toBe('id,name,categoryId,status,category\r\n1,Rex,1,,Dogs\r\n2,Tom,5,,\r\n');
    const edited = `${stdout.replace(',Dogs', ',Cats')}3,Ada,,,Dogs\r\n`;
    expect(await importText(edited, place.address)).toMatchObject({ status: 0 });
    expect(await categoriesIn(place.address)).toEqual(['1', '5', '1', '5', '1']);
  });

  it('get one number when two imports need a new name at once', async () => {
    await using place = await makePlace();
    await using one = await openImport(place.address);
    await using two = await openImport(place.address);
    const pets = (names: string[]) => names.map((categoryName) => ({ name: 'Rex', categoryName }));
    const added = await Promise.all([
      one.addPets(pets(['Fish', 'Dogs'])),
      two.addPets(pets(['Dogs', 'Fish'])),
    ]);
    expect(added.map(({ length }) => String(length)).toSorted()).toEqual(['0', '2']);
    const [first, second, ...others] = await categoriesIn(place.address);
    expect(new Set([first, second])).toEqual(new Set(['1', '2']));
    expect(others).toEqual([second!, first!]);
  });
});

it('refuses a category that is neither a number nor a name', async () => {
  using folder = makeFolder();
  const text =
    '{"name":"A","category":[]}\n{"name":"B","category":" "}\n{"name":"C","category":null}\n{"name":"D","category":"007"}\n';
  const { status, stderr } = await importText(text, folder.database);
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /line 1: category must be a whole number or a name\.\nline 2: category must have 1 to 100 characters/,
  );
  for (const line of [3, 4])
    expect(stderr).toContain(`line ${line}: category must be a whole number or a name.`);
});
