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

it('petstore copy reports a damaged table in one line', async () => {
  place.change('PRAGMA journal_mode = DELETE');
  writeFileSync(place.path, readFileSync(place.path).fill(0xff, 4096));
  expect(await runCli(['copy', '--from', place.path, '--to', target.path])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
  });
});
