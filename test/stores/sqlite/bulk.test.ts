import { beforeEach, expect, it } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { runCli } from '../../support/process/process.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet } from '../../support/changes.ts';

const [place, target] = [useSqliteFile(), useSqliteFile()];

beforeEach(async () => {
  const store = place.open();
  await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
  await store.close();
});

const runCopy = () => runCli(['copy', '--from', place.path, '--to', target.path]);

it.each<[string, () => void]>([
  ['changed pet', () => place.change(`UPDATE pets SET json = replace(json, 'Rex', 'Rax')`)],
  [
    'damaged table',
    () => {
      place.change('PRAGMA journal_mode = DELETE');
      writeFileSync(place.path, readFileSync(place.path).fill(0xff, 4096));
    },
  ],
])('petstore copy reports a %s in one line', async (_what, damage) => {
  damage();
  expect(await runCopy()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/m),
  });
});
