import { Database } from 'bun:sqlite';
import { beforeEach, expect, it } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { migrate } from '../../../src/stores/sqlite/migrate.ts';
import { runCli } from '../../support/process/process.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet } from '../../support/changes.ts';

const [place, target] = [useSqliteFile(), useSqliteFile()];

beforeEach(async () => {
  const store = place.open();
  await store.pets.apply(createPet({ name: 'Rex', categoryId: 1n }));
  await store.close();
});

const runExport = () => runCli(['export', '--database-url', place.path]);

it.each([
  ['copy', () => runCli(['copy', '--from', place.path, '--to', target.path])],
  ['export', runExport],
])('petstore %s refuses a store with an older schema, and leaves it as it is', async (_command, run) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.path}${suffix}`);
  using older = new Database(place.path, { create: true });
  migrate(older, 4);
  const before = readFileSync(place.path);
  expect(await run()).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^petstore: .* has schema version 4, and \d+ is needed\. Run petstore migrate first\.\n$/,
    ),
  });
  expect(readFileSync(place.path).equals(before)).toBe(true);
  expect(existsSync(target.path)).toBe(false);
});

it.each<[string, () => void]>([
  ['changed pet', () => place.change(`UPDATE pets SET json = replace(json, 'Rex', 'Rax')`)],
  [
    'damaged table',
    () => {
      place.change('PRAGMA journal_mode = DELETE');
      writeFileSync(place.path, readFileSync(place.path).fill(0xff, 4096));
    },
  ],
])('petstore export reports a %s in one line', async (_what, damage) => {
  damage();
  expect(await runExport()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
  });
});
