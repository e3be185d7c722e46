import { Database } from 'bun:sqlite';
import { beforeAll, afterAll, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePostgresPlace } from '../../support/postgres/place.ts';
import { makeFolder, runCli, startCli, type Folder } from '../../support/process/process.ts';

/** Two batches and a piece of the third. */
const total = 41_000;
let folder: Folder;
let path: string;

beforeAll(() => {
  folder = makeFolder();
  path = join(folder.path, 'pets.ndjson');
  const lines = Array.from(
    { length: total },
    (_, index) => `{"id":${index + 1},"name":"Pet ${index}","categoryId":${index % 7}}\n`,
  );
  writeFileSync(path, lines.join(''));
});

afterAll(() => {
  folder[Symbol.dispose]();
});

/** Checks that the store is intact and holds as many pets from the start of the file as the import recorded. */
function expectBeginning(database: string): number {
  using store = new Database(database, { readwrite: true, create: false });
  expect(store.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const { count, wrong } = store
    .query(
      `SELECT count(*) AS count,
         count(*) FILTER (WHERE json ->> 'name' <> 'Pet ' || (id - 1) OR json ->> 'categoryId' <> (id - 1) % 7) AS wrong FROM pets`,
    )
    .get() as { count: number; wrong: number };
  const { added } = store.query('SELECT coalesce(sum(added_count), 0) AS added FROM imports').get() as {
    added: number;
  };
  expect({ wrong, added }).toEqual({ wrong: 0, added: count });
  return count;
}

const argsFor = (place: string, file = path) => ['import', file, '--database-url', place];

/** Kills an import once its output matches. */
async function interrupt(place: string, moment: RegExp, file?: string) {
  await using command = startCli(argsFor(place, file), { cwd: folder.path });
  await Promise.race([command.stderr.untilMatch(moment), command.ended]);
  return await command.stop('SIGKILL');
}

/** On a busy machine an import may finish before it is killed: then it is repeated with another store. */
async function interruptHalfway<Place>(
  makePlace: (attempt: number) => Promise<Place>,
  addressOf: (place: Place) => string,
  file?: string,
) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const place = await makePlace(attempt);
    if ((await interrupt(addressOf(place), /added/, file)) !== 0) return place;
  }
  throw new Error('The import was always faster.');
}

const makeDatabase = (name: string) => async (attempt: number) => join(folder.path, `${name}-${attempt}.db`);
const itself = (text: string) => text;

describe('an import that is killed with kill -9', () => {
  it('leaves an intact store, and the next run continues without duplicates', async () => {
    const place = await interruptHalfway(makeDatabase('killed'), itself);
    const counts = [expectBeginning(place)];
    expect(counts[0]).toBeGreaterThan(0);
    for (const moment of [/checked/, /Continuing/, /added/]) {
      await interrupt(place, moment);
      counts.push(expectBeginning(place));
    }
    expect(counts.toSorted((one, other) => one - other)).toEqual(counts);
    const last = counts.at(-1) ?? 0;
    const { status, stdout, stderr } = await runCli(argsFor(place));
    expect(status).toBe(0);
    if (last < total) {
      expect(stderr).toContain(
        `Continuing after the first ${last.toLocaleString('en')} pets of an earlier run.\n`,
      );
      expect(stdout).toContain(`Added ${(total - last).toLocaleString('en')} pets to`);
    }
    expect(expectBeginning(place)).toBe(total);
    expect((await runCli(argsFor(place))).stdout).toContain('Nothing was added');
    expect(expectBeginning(place)).toBe(total);
  });
});

describe('an import that names categories and is killed with kill -9', () => {
  const kindOf = (index: number) => `Kind ${(index * 7) % 100}`;
  const writeNamed = () => {
    const file = join(folder.path, 'named.csv');
    const lines = Array.from({ length: total }, (_, index) => `Pet ${index},${kindOf(index)}\n`);
    writeFileSync(file, `name,category\n${lines.join('')}`);
    return file;
  };
  /** Continues the import, and checks the name of every pet's category. */
  const finish = async (address: string, file: string) => {
    const { status, stderr, stdout } = await runCli(argsFor(address, file));
    expect({ status, isContinued: stderr.includes('Continuing after the first ') }).toEqual({
      status: 0,
      isContinued: true,
    });
    expect(stdout).not.toContain('New categories');
    const text = (await runCli(['export', '--excel', '--database-url', address])).stdout;
    const kinds = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',').at(-1));
    expect(kinds).toEqual(Array.from({ length: total }, (_, index) => kindOf(index)));
  };

  it('finds the names of the batches before again', async () => {
    const file = writeNamed();
    const place = await interruptHalfway(makeDatabase('named'), itself, file);
    await finish(place, file);
    const addressOf = ({ address }: { address: string }) => address;
    const other = await interruptHalfway(() => makePostgresPlace(), addressOf, file);
    await finish(other.address, file);
  });
});

describe('an import with --keep-ids that is continued', () => {
  it('reports how far it got when other pets took its ids', async () => {
    using place = makeFolder();
    const run = (...args: string[]) =>
      runCli(['import', '--keep-ids', '--database-url', place.database, ...args], {
        input: [1, 2, 3].map((id) => `{"id":${id},"name":"Pet","categoryId":1}\n`).join(''),
      });
    expect(await run()).toMatchObject({ status: 0 });
    const store = new Database(place.database);
    // As after an interruption behind the first pet.
    store.run('DELETE FROM pets WHERE id > 1');
    store.run('UPDATE imports SET added_count = 1, finished_at = NULL');
    store.close();
    await runCli(['seed', '--count', '1', '--database-url', place.database]);
    const { status, stderr } = await run();
    expect(status).toBe(1);
    expect(stderr).toEndWith(
      'petstore: The next id in the file is 2, but the store has ids up to 4. 1 of 3 pets are in the store. ' +
        'Import the file into an empty store that no service uses.\n',
    );
  });
});

describe('two imports of the same file at once', () => {
  it('add its pets once', async () => {
    const database = join(folder.path, 'both.db');
    const results = await Promise.all([runCli(argsFor(database)), runCli(argsFor(database))]);
    expect(results.map(({ status }) => status)).toContain(0);
    for (const { status, stderr } of results) {
      if (status !== 0) expect(stderr).toContain('This file is already being imported by another process.');
    }
    expect(expectBeginning(database)).toBe(total);
  });
});
