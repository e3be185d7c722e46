import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
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

const readers = {
  copy: () => runCli(['copy', '--from', place.path, '--to', target.path]),
  export: () => runCli(['export', '--database-url', place.path]),
};

for (const [command, run] of Object.entries(readers)) {
  describe(`petstore ${command}`, () => {
    it('refuses a store with an older schema, and leaves it as it is', async () => {
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

    it('reports a changed pet in one line', async () => {
      place.change(`UPDATE pets SET json = replace(json, 'Rex', 'Rax')`);
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /^(?:Made a new store .*\n)?petstore: The database .* is damaged\..*\n$/,
        ),
      });
    });

    it('reports a store with damaged tables in one line', async () => {
      place.change('PRAGMA journal_mode = DELETE');
      writeFileSync(place.path, readFileSync(place.path).fill(0xff, 4096));
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
      });
    });
  });
}
