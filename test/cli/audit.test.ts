import { afterAll, describe, expect, it } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storeAt } from '../../src/stores/open.ts';
import { makeFolder, runCli, startService } from '../support/process/process.ts';
import { runOnTerminal } from '../support/process/terminal.ts';

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const uid = process.getuid?.();
const auditLog = join(folder.path, 'audit.log');
const at = ['--database-url', folder.database];
const run = (...args: string[]) =>
  runCli([...args, ...at], { env: { AUDIT_LOG: auditLog, SUDO_USER: 'alice', USER: 'mallory' } });
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('AUDIT_LOG', () => {
  it('gets one line with the uid for every key change, migrate and restore', async () => {
    const backup = join(folder.path, 'backup.db');
    await run('migrate');
    await run('keys', 'create', '--name', 'window', '--read-only');
    await run('keys', 'rotate', '1');
    await run('keys', 'revoke', '1');
    await run('keys', 'revoke', '9');
    await run('keys', 'list');
    await run('backup', backup);
    await run('restore', backup, '--force');
    const copy = ['copy', '--from', folder.database, '--to', join(folder.path, 'copy.db')];
    await runCli(copy, { env: { AUDIT_LOG: auditLog } });

    const lines = linesOf(auditLog);
    expect(lines.every((line) => line['uid'] === uid)).toBe(true);
    expect(lines[0]).toMatchObject({ message: 'audit', sudoUser: 'alice', store: folder.database });
    expect(lines).toMatchObject([
      { action: 'migrate', outcome: 'done' },
      { action: 'keys create', outcome: 'done', keyId: '1', key: 'window', readOnly: true },
      { action: 'keys rotate', outcome: 'done', keyId: '1', replacedBy: '2' },
      { action: 'keys revoke', outcome: 'done', keyId: '1', key: 'window' },
      { action: 'keys revoke', outcome: 'failed', keyId: '9' },
      { action: 'restore', outcome: 'done', file: backup, petCount: 0 },
      { action: 'copy', outcome: 'done', from: folder.database },
    ]);
    expect(readFileSync(auditLog, 'utf8')).not.toMatch(/pets_[0-9A-Za-z]{36}/);
    expect(statSync(auditLog).mode & 0o777).toBe(0o600);
  });

  it('does not stop a change when it cannot be written; the line goes to standard error', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    const path = join(place.path, 'missing', 'audit.log');
    const { status, stderr } = await runCli(args, { env: { AUDIT_LOG: path } });
    expect(status).toBe(0);
    const [, warning, line = ''] = stderr.split('\n');
    expect(warning).toBe(
      `petstore: The file ${path} of AUDIT_LOG cannot be written: no such file or directory. It should have this line:`,
    );
    expect(JSON.parse(line)).toMatchObject({ action: 'keys create', outcome: 'done', key: 'till' });
  });

  it('shows no password of a database', () => {
    expect(storeAt('postgres://petstore:p@ss@db.example/shop?password=secret').name).toBe(
      'postgres://db.example/shop',
    );
    expect(storeAt('sqlite:data/petstore.db').name).toBe('data/petstore.db');
  });

  it.each([
    'postgres://petstore:sec?ret@db.example/shop',
    'postgres://petstore:sec#ret@db.example/shop',
    'postgres://petstore:sec/ret@db.example/shop',
    'postgres:petstore:secret@db.example/shop',
    'postgres://db.example/shop?password=sec@ret',
  ])('shows nothing of an address whose password is not encoded: %s', (address) => {
    expect(storeAt(address).name).toBe('postgres://…');
  });
});

describe('the audit log without AUDIT_LOG', () => {
  const env = { AUDIT_LOG: undefined };

  it('goes to standard error, and standard output stays the same', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--json', '--database-url', place.database];
    const { stdout, stderr } = await runCli(args, { env });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'till' });
    const [made, line = '', store] = stderr.split('\n');
    expect([store, made]).toEqual([`Store: ${place.database}`, `Made a new store at ${place.database}.`]);
    expect(JSON.parse(line)).toMatchObject({ message: 'audit', action: 'keys create', uid });
  });

  it('is not shown on a terminal', async () => {
    using place = makeFolder();
    const args = ['keys', 'create', '--name', 'till', '--database-url', place.database];
    const { screen } = await runOnTerminal(args, { env });
    expect(screen).toContain('It is shown only this once');
    expect(screen).not.toContain('audit');
  });

  it('is part of the log of a service that makes its first key, whatever the log level', async () => {
    await using service = await startService({
      workers: 2,
      env: { ...env, API_KEYS: undefined, LOG_LEVEL: 'error' },
    });
    const [line] = await service.untilLogged(/.*"message":"audit".*/);
    expect(JSON.parse(line)).toMatchObject({
      action: 'keys create',
      uid,
      store: service.database,
      outcome: 'done',
      keyId: '1',
      key: 'first-start',
    });
    expect(service.stdout).not.toContain('"ready"');
  });
});
