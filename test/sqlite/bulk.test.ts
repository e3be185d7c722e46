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
    it('changes no byte of the store that it reads', async () => {
      change('PRAGMA journal_mode = DELETE');
      const before = readFileSync(place.path);
      expect(await run()).toMatchObject({ status: 0 });
      expect(readFileSync(place.path).equals(before)).toBe(true);
    });

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

    it.each([
      ['is empty', '', /holds no store/],
      ['is not a database', 'hello world '.repeat(500), /is not a database/],
    ])('refuses a file that %s, and leaves it as it is', async (_title, content, message) => {
      writeFileSync(place.path, content);
      expect(await run()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(message) });
      expect(readFileSync(place.path, 'utf8')).toBe(content);
    });

    it.each([
      ['its syntax', `json = replace(json, '{"id"', '["id"')`],
      ['a letter', `json = replace(json, 'Rex', 'Rax')`],
      ['its key', 'id = 2'],
    ])('reports a pet that was changed in %s in one line', async (_what, changed) => {
      change(`UPDATE pets SET ${changed}`);
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /^(?:Made a new store .*\n)?petstore: The database .* is damaged\..*\n$/,
        ),
      });
    });

    it.each([
      ['schema', 200],
      ['tables', 4096],
    ])('reports a store with damaged %s in one line', async (_what, from) => {
      change('PRAGMA journal_mode = DELETE');
      writeFileSync(place.path, readFileSync(place.path).fill(0xff, from));
      expect(await run()).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^petstore: The database .* is damaged\..*\n$/),
      });
    });
  });
}
