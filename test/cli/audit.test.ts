import { afterAll, describe, expect, it } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { storeOf } from '../../src/cli/audit.ts';
import { makeFolder, runCli } from '../support/process/process.ts';

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const auditLog = join(folder.path, 'audit.log');
const at = ['--database-url', folder.database];
const run = (...args: string[]) =>
  runCli([...args, ...at], { env: { AUDIT_LOG: auditLog, SUDO_USER: 'alice' } });
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('AUDIT_LOG', () => {
  it('gets a line with the user for every change of a key, migration, backup that is restored and import', async () => {
    const backup = join(folder.path, 'backup.db');
    const pets = join(folder.path, 'pets.csv');
    await Bun.write(pets, 'name,categoryId\nRex,1\n');
    await run('migrate');
    await run('keys', 'create', '--name', 'window', '--read-only');
    await run('keys', 'rotate', '1');
    await run('keys', 'revoke', '1');
    await run('keys', 'revoke', '9');
    await run('keys', 'list');
    await run('backup', backup);
    await run('import', pets);
    await run('restore', backup, '--force');
    const copy = ['copy', '--from', folder.database, '--to', join(folder.path, 'copy.db')];
    await runCli(copy, { env: { AUDIT_LOG: auditLog } });

    const lines = linesOf(auditLog);
    const { username: user, uid } = userInfo();
    expect(lines.every((line) => line['user'] === user && line['uid'] === uid)).toBe(true);
    expect(lines[0]).toMatchObject({ message: 'audit', sudoUser: 'alice', store: folder.database });
    expect(lines).toMatchObject([
      { action: 'migrate', outcome: 'done' },
      { action: 'keys create', outcome: 'done', keyId: '1', key: 'window', readOnly: true },
      { action: 'keys rotate', outcome: 'done', keyId: '1', replacedBy: '2' },
      { action: 'keys revoke', outcome: 'done', keyId: '1', key: 'window' },
      { action: 'keys revoke', outcome: 'failed' },
      { action: 'import', outcome: 'done', file: pets },
      { action: 'restore', outcome: 'done', file: backup, petCount: 0 },
      { action: 'copy', outcome: 'done', from: folder.database },
    ]);
    expect(readFileSync(auditLog, 'utf8')).not.toMatch(/pets_[0-9A-Za-z]{36}/);
    expect(statSync(auditLog).mode & 0o777).toBe(0o600);
  });

  it('stops a command before it changes anything when it cannot be written', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    const path = join(place.path, 'missing', 'audit.log');
    expect(await runCli(args, { env: { AUDIT_LOG: path } })).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `petstore: The file ${path} of AUDIT_LOG cannot be written (ENOENT), so nothing was done. ` +
        'Check its path and permissions.\n',
    });
    expect(await Bun.file(place.database).exists()).toBe(false);
  });

  it('says so when the line is lost, and still shows the result', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    const { status, stdout, stderr } = await runCli(args, { env: { AUDIT_LOG: '/dev/full' } });
    expect(status).toBe(0);
    expect(stdout).toMatch(/pets_[0-9A-Za-z]{36}/);
    expect(stderr).toBe('petstore: The file /dev/full of AUDIT_LOG could not be written (ENOSPC).\n');
  });

  it('shows no password of a database', () => {
    expect(storeOf('postgres://petstore:p@ss@db.example/shop?password=secret')).toBe(
      'postgres://db.example/shop',
    );
    expect(storeOf('sqlite:data/petstore.db')).toBe('data/petstore.db');
  });
});
