import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, it } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { openSqliteImport } from '../../../src/stores/sqlite/maintenance/import.ts';
import { runCli } from '../../support/process/process.ts';
import { useSqliteFile } from '../../support/sqlite-file.ts';
import { createPet } from '../../support/changes.ts';

/** Larger than what is checked for damage at the opening. */
const nameLength = 17 * 1024 * 1024;

const place = useSqliteFile();

beforeEach(async () => {
  const store = place.open();
  await store.pets.apply(createPet({ name: 'x'.repeat(nameLength), categoryId: 1n }));
  await store.close();
});

/** Writes over the first page of each table. */
function damage(...tables: string[]): void {
  const database = new Database(place.path);
  const pageBytes = 4096;
  const pages = tables.map(
    (table) =>
      database
        .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?1')
        .get(table)?.rootpage ?? NaN,
  );
  expect(database.query('PRAGMA page_size').get()).toEqual({ page_size: pageBytes });
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const file = openSync(place.path, 'r+');
  for (const page of pages)
    writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
}

describe('an import into a store that cannot be used', () => {
  it('fails with unavailable, whatever it was doing', async () => {
    damage('imports', 'pets');
    const store = openSqliteImport(place);
    try {
      for (const use of [
        () => store.findImport('a'),
        () => store.addPets([{ name: 'Rex', categoryId: 1n }]),
        () => store.finishImport('a', new Date()),
        () => store.forgetImport('a'),
        () => store.largestId(),
      ]) {
        expect(await use().catch((error: unknown) => error)).toMatchObject({ code: 'unavailable' });
      }
    } finally {
      await store.close();
    }
  });

  it('reports it to the operator in one line, without a stack', async () => {
    damage('pets');
    const { status, stdout, stderr } = await runCli(['import', '--keep-ids', '--database-url', place.path], {
      input: '{"id":2,"name":"Rex","categoryId":1}\n',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.slice(stderr.indexOf('petstore: '))).toBe(
      'petstore: The import was interrupted: database disk image is malformed. Run the same command again to continue.\n',
    );
  });
});
