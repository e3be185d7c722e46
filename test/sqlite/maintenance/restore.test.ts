import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { idsOf } from '../../support/http/calls.ts';
import { cleanEnvironment, makeFolder, petstoreCommand, runCli } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';
import { copyByHand, makeCrashedStore } from '../../support/crashed-store.ts';
import { hashesOf } from '../../support/file-hashes.ts';
import { readPets } from '../../support/journal.ts';

const at = useStoreFolder();
const { inFolder, run, expectRefused } = at;

const exported = async () => idsOf((await run('export')).stdout);
const idsIn = (path: string) => readPets(path).map(({ id }) => id);

/** A backup of one pet, one of 300, and a store with three pets in its log. */
const made = makeFolder();
const [one, many] = [join(made.path, 'one.db'), join(made.path, 'many.db')];
beforeAll(async () => {
  const other = ['--database-url', join(made.path, 'other.db')];
  await runCli(['seed', '--count', '1', ...other]);
  await runCli(['backup', one, ...other]);
  await runCli(['seed', '--count', '299', ...other]);
  await runCli(['backup', many, ...other]);
  await makeCrashedStore(made.database, 3);
});
afterAll(() => made[Symbol.dispose]());

/** Puts the store and the small backup into the folder of the test. */
function copyBoth(): void {
  copyFileSync(one, inFolder('b.db'));
  copyByHand(made.database, at.store);
}

const suffixes = ['', '-wal', '-shm'];
const keep = (suffix: string) => linkSync(`${at.store}${suffix}`, inFolder(`kept.db${suffix}`));
const remove = (suffix: string) => rmSync(`${at.store}${suffix}`);

describe('a restore that a crash has interrupted', () => {
  it.each<[string, () => void]>([
    ['while it copied', () => copyFileSync(inFolder('b.db'), `${at.store}.restoring.partial`)],
    [
      'before it moved the store aside',
      () => {
        copyFileSync(inFolder('b.db'), `${at.store}.restoring`);
        suffixes.forEach(keep);
      },
    ],
  ])('%s leaves the old store', async (_moment, interrupt) => {
    copyBoth();
    interrupt();
    expect(await exported()).toEqual(['1', '2', '3']);
    expect(await run('keys', 'list')).toMatchObject({ status: 0 });
    expect(await exported()).toEqual(['1', '2', '3']);
    expect(await run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
    expect(idsIn(at.store)).toEqual(['1']);
    expect(readdirSync(at.path).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    ['after it moved the file aside', [''], ['serve', 'export']],
    ['after it moved the file and the log aside', ['', '-wal'], ['serve', 'export']],
    [
      'before it put the new store in',
      suffixes,
      [
        ...['serve', 'keys list', 'keys create --name till', 'seed --count 1'],
        ...['export', 'backup x.db', 'doctor', 'migrate'],
      ],
    ],
  ])('%s makes every command ask for the restore to be run again', async (_moment, gone, commands) => {
    copyBoth();
    copyFileSync(inFolder('b.db'), `${at.store}.restoring`);
    suffixes.forEach(keep);
    gone.forEach(remove);
    for (const command of commands) await expectRefused('run the restore again', ...command.split(' '));
    expect(await run('restore', 'b.db')).toMatchObject({ status: 0 });
    expect(await exported()).toEqual(['1']);
    expect(await run('keys', 'list')).toMatchObject({ status: 0 });
    expect([idsIn(at.store), idsIn(inFolder('kept.db'))]).toEqual([['1'], ['1', '2', '3']]);
  });

  it('and fails when it is run again leaves the same state', async () => {
    copyBoth();
    copyFileSync(inFolder('b.db'), `${at.store}.restoring`);
    suffixes.forEach(remove);
    writeFileSync(inFolder('bad.db'), 'SQLite format 3\0 and nothing else');
    await expectRefused('is not a database', 'restore', 'bad.db');
    await expectRefused('run the restore again', 'serve');
  });

  it('keeps keys revoked that were revoked since the backup, when it is run again', async () => {
    await run('keys', 'create', '--name', 'till');
    await run('backup', 'b.db');
    await run('keys', 'revoke', '1');
    expect(await run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
    // As if the last step had not happened.
    renameSync(at.store, `${at.store}.restoring`);
    const { status, stdout } = await run('restore', 'b.db');
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('can be used again')]);
    using database = new Database(at.store, { readonly: true });
    expect(database.query('SELECT revoked_at IS NULL AS isUsable FROM api_keys').all()).toEqual([
      { isUsable: 0 },
    ]);
  });

  it('at any moment by a kill leaves the old store, the new one, or the request to run it again', async () => {
    copyBoth();
    copyByHand(at.store, inFolder('original.db'));
    const endings = new Set<string>();
    // The first is any change of the folder: the restore takes the lock.
    for (const sign of ['', '.restoring.partial', '.replaced-', 'gone']) {
      await killRestore((names) =>
        sign === 'gone'
          ? !names.includes('petstore.db')
          : names.some((name) => name.startsWith(`petstore.db${sign}`)),
      );
      const { status, stdout, stderr } = await run('export');
      if (status !== 0) expect(stderr).toContain('run the restore again');
      else expect([['1'], ['1', '2', '3']]).toContainEqual(idsOf(stdout));
      endings.add(status === 0 ? `${idsOf(stdout).length} pets` : 'again');
      expect(await run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
      expect(idsIn(at.store)).toEqual(['1']);
      for (const name of readdirSync(at.path))
        if (name.startsWith('petstore.db')) rmSync(inFolder(name), { recursive: true });
      copyByHand(inFolder('original.db'), at.store);
    }
    expect(endings.size).toBeGreaterThan(0);
  });

  /** Kills a restore that has begun as soon as the names in the folder show this, or lets it end. */
  async function killRestore(isMoment: (names: string[]) => boolean): Promise<void> {
    const child = Bun.spawn(
      petstoreCommand(['restore', inFolder('b.db'), '--force', '--database-url', at.store]),
      { env: cleanEnvironment(), stdio: ['ignore', 'ignore', 'ignore'] },
    );
    const watcher = watch(at.path);
    await Promise.race([once(watcher, 'change'), child.exited]);
    watcher.close();
    const deadline = performance.now() + 20_000;
    // Without a pause: the steps follow one another in less than a millisecond.
    while (!isMoment(readdirSync(at.path)) && performance.now() < deadline) {
      if (!existsSync(`/proc/${child.pid}/exe`)) break;
    }
    child.kill('SIGKILL');
    await child.exited;
  }
});

describe('petstore restore', () => {
  it('changes nothing when it fails, here because a name is too long', async () => {
    copyBoth();
    const name = inFolder(`${'x'.repeat(223)}.db`);
    for (const suffix of suffixes) renameSync(`${at.store}${suffix}`, `${name}${suffix}`);
    const before = hashesOf(at.path);
    expect(await runCli(['restore', inFolder('b.db'), '--force', '--database-url', name])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ENAMETOOLONG'),
    });
    expect(hashesOf(at.path)).toEqual(before);
    expect(idsIn(name)).toEqual(['1', '2', '3']);
  });

  it('removes what a killed one has left after a day, and nothing that is not ours', async () => {
    copyBoth();
    const left = ['petstore.db.locking-aaaaaa', 'petstore.db.locking-bbbbbb'].map(inFolder);
    const others = ['petstore.db.locking-monday!', 'other.db.locking-aaaaaa'].map(inFolder);
    const longAgo = new Date(Date.now() - 90_000_000);
    for (const folder of [...left, ...others]) {
      mkdirSync(folder);
      linkSync(at.store, join(folder, 'store.db'));
      if (!folder.endsWith('bbbbbb')) utimesSync(folder, longAgo, longAgo);
    }
    expect(await run('restore', 'b.db', '--force')).toMatchObject({ status: 0 });
    expect([...left, ...others].map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
  });

  it('refuses a backup with a damaged key', async () => {
    await run('keys', 'create', '--name', 'till');
    await run('backup', 'b.db');
    using database = new Database(inFolder('b.db'));
    database.run("UPDATE api_keys SET hash = 'x'");
    await expectRefused('b.db is damaged', 'restore', 'b.db', '--force');
  });

  it('moves a rollback journal aside with the replaced store', async () => {
    crashInRollbackMode(at.store, many);
    expect(statSync(`${at.store}-journal`).size).toBeGreaterThan(0);
    await expectRefused('was interrupted', 'export');
    const copy = ['restore', at.store, '--database-url', inFolder('new.db')];
    expect((await runCli(copy)).stderr).toContain('has a log beside it');
    expect(await run('restore', many, '--force')).toMatchObject({ status: 0 });
    await run('keys', 'list');
    expect(await exported()).toHaveLength(300);
  });

  it('never undoes in its copy what a killed restore has begun in another one', async () => {
    crashInRollbackMode(`${at.store}.restoring.partial`, many);
    expect(await run('restore', one)).toMatchObject({ status: 0 });
    expect(await exported()).toEqual(['1']);
    expect(readdirSync(at.path).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('leaves an interrupted change to the next start, which undoes it', async () => {
    crashInRollbackMode(at.store, many);
    expect(await run('keys', 'list')).toMatchObject({ status: 0 });
    expect(await exported()).toHaveLength(300);
  });

  /** Kills a process in the middle of a transaction whose changes have reached the file. */
  function crashInRollbackMode(path: string, from: string): void {
    copyFileSync(from, path);
    const program = `
      const { Database } = require('bun:sqlite');
      const database = new Database(process.argv[1]);
      database.run('PRAGMA journal_mode = DELETE');
      database.run('PRAGMA cache_size = 1');
      database.run('BEGIN');
      database.run('DELETE FROM pets WHERE id % 2 = 0');
      database.run("UPDATE pets SET json = json || ' '");
      process.kill(process.pid, 'SIGKILL');`;
    Bun.spawnSync([process.execPath, '-e', program, path]);
  }
});
