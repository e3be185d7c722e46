import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { foldName } from '../../../../src/domain/fold.ts';
import { renderPet } from '../../../../src/domain/pet.ts';
import { noProgress, noReport } from '../../../../src/system/progress.ts';
import { openSqliteStore } from '../../../../src/stores/sqlite/open.ts';
import { migrate, newestVersion, readPragma } from '../../../../src/stores/sqlite/migrate.ts';
import { checksumOf } from '../../../../src/stores/sqlite/rows.ts';
import { type Folder, limitedTo, makeFolder, runCli } from '../../../support/process/process.ts';

let folder: Folder;
let path: string;
beforeEach(() => {
  folder = makeFolder();
  path = folder.database;
});
afterEach(() => folder[Symbol.dispose]());

const copyOf = () => `${path}.schema-5`;

function versionOf(file = path): number {
  using database = new Database(file);
  return readPragma(database, 'user_version');
}

/** A store of 1.1.0 in WAL mode, with so many pets. */
function makeOlder(count: number): void {
  using database = new Database(path, { create: true });
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, 5);
  const insert = database.query('INSERT INTO pets VALUES (?1, NULL, ?2, ?3)');
  const insertAll = database.transaction(() => {
    for (let id = 1n; id <= count; id++) {
      const json = renderPet(id, { name: `Zoë ${id}`, categoryId: 2n ** 63n - id });
      insert.run(id, json, checksumOf(json));
    }
  });
  insertAll();
}

const runMigrate = (args: string[] = [], options = {}) =>
  runCli(['migrate', ...args, '--database-url', path], options);

describe('a store of an older release', () => {
  it('gets every folded name and category before it is served, and shows its progress', () => {
    makeOlder(10_001);
    const shown: number[] = [];
    const progress = (_what: string, total: number) => {
      shown.push(total);
      return { ...noProgress, add: (count: number) => void shown.push(count) };
    };
    openSqliteStore({ path, report: { ...noReport, progress } });
    expect(shown).toEqual([10_001, 10_000, 1]);
    using database = new Database(path);
    const wrong = `folded_name IS NOT ?1 || id OR category_id IS NOT 9223372036854775807 - id + 1`;
    expect(database.query(`SELECT count(*) AS count FROM pets WHERE ${wrong}`).get(foldName('Zoë '))).toEqual(
      { count: 0 },
    );
  });

  it('is refused and left alone while that release has it open', async () => {
    makeOlder(1);
    using older = new Database(path);
    older.query('SELECT count(*) FROM pets').get();
    expect(await runMigrate()).toMatchObject({ status: 1, stderr: expect.stringContaining('is in use') });
    expect([versionOf(), existsSync(copyOf())]).toEqual([5, false]);
    older.close();
    expect(await runMigrate()).toMatchObject({ status: 0 });
    expect([versionOf(), versionOf(copyOf())]).toEqual([newestVersion, 5]);
    expect(statSync(copyOf()).mode & 0o777).toBe(0o600);
  });

  it('is migrated once when several processes start together', async () => {
    makeOlder(2000);
    const results = await Promise.all(Array.from({ length: 3 }, () => runMigrate()));
    // On a busy machine, the migration may take longer than the others wait for it.
    for (const { stderr } of results.filter(({ status }) => status !== 0))
      expect(stderr).toMatch(/is in use|is locked by another process/);
    expect(results.filter(({ stdout }) => stdout.includes('is kept as'))).toHaveLength(1);
    expect([versionOf(), versionOf(copyOf())]).toEqual([newestVersion, 5]);
    expect(await runMigrate()).toMatchObject({ status: 0 });
  });

  it('does not keep the unfinished copies of killed migrations', async () => {
    makeOlder(3);
    writeFileSync(`${copyOf()}.0a1b2c.partial`, '');
    expect(await runMigrate()).toMatchObject({ status: 0 });
    expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('keeps its schema if one of its pets is damaged', async () => {
    makeOlder(3);
    using database = new Database(path);
    database.run('UPDATE pets SET checksum = 1 WHERE id = 2');
    database.close();
    expect(await runMigrate(['--no-copy'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is damaged'),
    });
    expect(versionOf()).toBe(5);
  });
});

describe('a migration on a full disk', () => {
  it.each([
    ['while it copies', 0.5, []],
    ['while it writes', 1.1, ['--no-copy']],
  ])('keeps the old schema: %s', async (_when, share, args) => {
    makeOlder(5000);
    const { size } = statSync(path);
    expect(await runMigrate(args, { wrap: limitedTo(size * share) })).toMatchObject({ status: 1 });
    expect(versionOf()).toBe(5);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(await runMigrate(args)).toMatchObject({ status: 0 });
    expect(versionOf()).toBe(newestVersion);
  });
});
