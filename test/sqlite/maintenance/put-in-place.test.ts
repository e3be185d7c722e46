import { describe, expect, it } from 'bun:test';
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putInPlace } from '../../../src/sqlite/maintenance/put-in-place.ts';
import { findStoreFile, stateOf } from '../../../src/sqlite/opening/store-file.ts';
import { idsOf } from '../../support/http/calls.ts';
import { makeFolder, runCli } from '../../support/process/process.ts';
import { copyByHand, makeCrashedStore } from '../../support/crashed-store.ts';
import { hashesOf } from '../../support/file-hashes.ts';
import { startCommand } from '../../support/process/running.ts';

const exported = async (name: string) => idsOf((await runCli(['export', '--database-url', name])).stdout);

describe('petstore restore, when it fails', () => {
  it('leaves no second name of the store behind when its copy is missing', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await runCli(['seed', '--count', '2', '--database-url', name]);
    const before = hashesOf(folder.path);
    const target = { name, path: name, state: stateOf(findStoreFile(name)!) };
    expect(() => putInPlace(join(folder.path, 'missing.db'), target)).toThrow('ENOENT');
    expect(hashesOf(folder.path)).toEqual(before);
  });

  it('undoes what it has done, here because a name is too long', async () => {
    using folder = makeFolder();
    const name = join(folder.path, `${'x'.repeat(222)}.db`);
    await makeCrashedStore(name, 3);
    await runCli(['seed', '--count', '1', '--database-url', folder.database]);
    await runCli(['backup', join(folder.path, 'b.db'), '--database-url', folder.database]);
    const before = hashesOf(folder.path);
    const restore = ['restore', join(folder.path, 'b.db'), '--force', '--database-url', name];
    expect(await runCli(restore)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ENAMETOOLONG'),
    });
    expect(hashesOf(folder.path)).toEqual(before);
    expect(await exported(name)).toEqual(['1', '2', '3']);
  });
});

describe('after an interrupted restore', () => {
  async function interrupted(folder: string, name: string, inode = statSync(name).ino): Promise<void> {
    await runCli(['seed', '--count', '1', '--database-url', join(folder, 'other.db')]);
    await runCli(['backup', join(folder, 'b.db'), '--database-url', join(folder, 'other.db')]);
    renameSync(join(folder, 'b.db'), `${name}.restored-20260101T000000Z-${inode}`);
  }

  it('the next command that writes finishes it, and those that only read refuse the store', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await makeCrashedStore(name, 3);
    await interrupted(folder.path, name);
    const before = hashesOf(folder.path);
    for (const command of [['doctor'], ['export'], ['backup', join(folder.path, 'x.db')]]) {
      const { status, stdout, stderr } = await runCli([...command, '--database-url', name]);
      expect(status).toBe(1);
      expect(`${stdout}${stderr}`).toContain('A restore of');
    }
    expect(hashesOf(folder.path)).toEqual(before);
    expect(await runCli(['keys', 'list', '--database-url', name])).toMatchObject({ status: 0 });
    expect(await exported(name)).toEqual(['1']);
    expect(await exported(`${name}.replaced-20260101T000000Z`)).toEqual(['1', '2', '3']);
  });

  it('no command finishes it over another file', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await makeCrashedStore(name, 3);
    await interrupted(folder.path, name, 1);
    const before = hashesOf(folder.path);
    expect(await runCli(['keys', 'list', '--database-url', name])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('left from the restore of another file'),
    });
    expect(hashesOf(folder.path)).toEqual(before);
  });

  it('no command mistakes a file with a similar name for it', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await makeCrashedStore(name, 3);
    writeFileSync(`${name}.restored-notes.txt`, 'precious');
    copyFileSync(name, `${name}.restored-from-monday`);
    await runCli(['keys', 'list', '--database-url', name]);
    expect(await exported(name)).toEqual(['1', '2', '3']);
    expect(readdirSync(folder.path).filter((file) => file.includes('replaced'))).toEqual([]);
  });
});

describe('petstore restore after one that was killed', () => {
  const scratchIn = (folder: string) =>
    readdirSync(folder).filter((name) => /^petstore\.db\.(?:restoring|locking)-/.test(name));

  it('removes the folder that was left', async () => {
    using folder = makeFolder();
    const [name, backup] = [folder.database, join(folder.path, 'b.db')];
    await runCli(['seed', '--count', '50000', '--database-url', name]);
    await runCli(['backup', backup, '--database-url', name]);
    const restore = ['restore', backup, '--force', '--database-url', name];
    while (scratchIn(folder.path).length === 0) {
      await using command = startCommand(restore, folder.path);
      while (scratchIn(folder.path).length === 0) await Bun.sleep(1);
      command.kill('SIGKILL');
      await command.ended;
    }
    expect(await runCli(restore)).toMatchObject({ status: 0 });
    expect(scratchIn(folder.path)).toEqual([]);
    expect(await exported(name)).toHaveLength(50_000);
  });

  it('removes the folders of every step, and nothing that is not ours', async () => {
    using folder = makeFolder();
    const [name, backup] = [folder.database, join(folder.path, 'b.db')];
    await runCli(['seed', '--count', '2', '--database-url', name]);
    await runCli(['backup', backup, '--database-url', name]);
    const others = ['petstore.db.restoring-monday', 'other.db.restoring-aaaaaa'];
    const left = [
      'petstore.db.restoring-aaaaaa',
      'petstore.db.restoring-bbbbbb',
      'petstore.db.locking-cccccc',
    ];
    for (const each of [...others, ...left]) mkdirSync(join(folder.path, each));
    copyFileSync(backup, join(folder.path, 'petstore.db.restoring-aaaaaa', 'store.db'));
    linkSync(name, join(folder.path, 'petstore.db.locking-cccccc', 'store.db'));
    writeFileSync(join(folder.path, 'petstore.db.restoring-monday', 'notes.txt'), 'precious');
    writeFileSync(join(folder.path, 'petstore.db.restoring-readme'), 'precious');

    expect(await runCli(['restore', backup, '--force', '--database-url', name])).toMatchObject({ status: 0 });
    expect(scratchIn(folder.path).sort()).toEqual([
      'petstore.db.restoring-monday',
      'petstore.db.restoring-readme',
    ]);
    expect(readdirSync(folder.path)).toContain('other.db.restoring-aaaaaa');
    expect(await exported(name)).toEqual(['1', '2']);
  });
});

describe('petstore restore over a store with a rollback journal', () => {
  it('moves the journal aside with the replaced store', async () => {
    using folder = makeFolder();
    const name = folder.database;
    await runCli(['seed', '--count', '300', '--database-url', join(folder.path, 'other.db')]);
    const backup = join(folder.path, 'b.db');
    await runCli(['backup', backup, '--database-url', join(folder.path, 'other.db')]);
    crashInRollbackMode(name, backup);
    expect(statSync(`${name}-journal`).size).toBeGreaterThan(0);
    copyByHand(name, join(folder.path, 'hot.db'), ['', '-journal']);

    const before = hashesOf(folder.path);
    expect(await exported(name)).toHaveLength(300);
    expect(await runCli(['restore', name, '--database-url', join(folder.path, 'new.db')])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has a log beside it'),
    });
    expect(hashesOf(folder.path)).toEqual(before);

    expect(await runCli(['restore', backup, '--force', '--database-url', name])).toMatchObject({ status: 0 });
    await runCli(['keys', 'list', '--database-url', name]);
    expect(await exported(name)).toHaveLength(300);
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
