import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { migrate } from '../../src/sqlite/schema/migrate.ts';
import { runCli } from '../support/process/process.ts';
import { makeSqlitePlace, type SqlitePlace } from '../support/store-place.ts';

let place: SqlitePlace;
let target: SqlitePlace;

beforeEach(async () => {
  [place, target] = [await makeSqlitePlace(), await makeSqlitePlace()];
  const store = await place.open();
  await store.pets.createPet({ name: 'Rex', categoryId: 1n });
  await store.close();
});
afterEach(async () => {
  await place[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

function change(...statements: string[]): void {
  const database = new Database(place.path);
  for (const statement of statements) database.run(statement);
  database.close();
}

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
      change(`UPDATE pets SET json = replace(json, 'Rex', 'Rax')`);
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /^(?:Made a new store .*\n)?petstore: The database .* is damaged\..*\n$/,
        ),
      });
    });

    it('reports a store with damaged tables in one line', async () => {
      change('PRAGMA journal_mode = DELETE');
      writeFileSync(place.path, readFileSync(place.path).fill(0xff, 4096));
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
      });
    });
  });
}
