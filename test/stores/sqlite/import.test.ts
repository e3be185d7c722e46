import { Database } from 'bun:sqlite';
import { expect, it } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { runCli } from '../../support/process/process.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet } from '../../support/changes.ts';

/** Larger than what is checked for damage at the opening. */
const nameLength = 17 * 1024 * 1024;

const place = useSqliteFile();

it('an import into a damaged store says so in one line, without a stack', async () => {
  const store = place.open();
  await store.pets.apply(createPet({ name: 'x'.repeat(nameLength), categoryId: 1n }));
  await store.close();
  writeOverPets();
  const { status, stdout, stderr } = await runCli(['import', '--keep-ids', '--database-url', place.path], {
    input: '{"id":2,"name":"Rex","categoryId":1}\n',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^petstore: The database .* is damaged\. Put a backup in its place: .*\n$/m);
});

/** Writes over the first page of the table. */
function writeOverPets(): void {
  const pageBytes = 4096;
  using database = new Database(place.path);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(database.query('PRAGMA page_size').get()).toEqual({ page_size: pageBytes });
  const { rootpage } = database.query("SELECT rootpage FROM sqlite_schema WHERE name = 'pets'").get() as {
    rootpage: number;
  };
  const file = openSync(place.path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (rootpage - 1) * pageBytes);
  closeSync(file);
}
