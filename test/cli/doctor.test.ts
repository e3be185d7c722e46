import { describe, expect, it } from 'bun:test';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { issueKey } from '../../src/stores/issue-key.ts';
import { storeAt } from '../../src/stores/open.ts';
import { addPets } from '../support/http/calls.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { heldToRights, runCli, startService, type CliOptions } from '../support/process/process.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder } = at;

interface Report {
  ok: boolean;
  findings: { check: string; state: string; message: string; remedy?: string }[];
}

/** Runs the doctor on a free port, and returns what it finds of a check. */
async function examine(args: string[], options: CliOptions = {}) {
  const { status, stdout, stderr } = await runCli(['doctor', '--json', '--port', '0', ...args], options);
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as Report;
  expect({ status, ok: report.ok }).toEqual(
    report.findings.some(({ state }) => state === 'problem')
      ? { status: 1, ok: false }
      : { status: 0, ok: true },
  );
  for (const { state, remedy } of report.findings) expect(remedy === undefined).toBe(state === 'ok');
  return (check: string) => report.findings.filter((finding) => finding.check === check);
}

/** The same for one check. */
const diagnose = async (check: string, args: string[], options?: CliOptions) =>
  (await examine(args, options))(check);

/** Makes a store with one key. */
async function makeStore(database: string): Promise<void> {
  const store = await storeAt(database).open({ environment: process.env });
  await issueKey(store.keys, { name: 'till', now: new Date() });
  await store.close();
}

describe('petstore doctor', () => {
  it('finds no problem where there is none, and creates nothing', async () => {
    const { status, stdout } = await runCli(['doctor', '--port', '0'], { cwd: at.path });
    expect(status).toBe(0);
    // The machine may have a small disk, which gives a warning.
    expect(stdout).toMatch(/\n(?:All is well|The service can run\. Warnings: \d)\.\n$/);
    expect(stdout).not.toContain('PROBLEM');
    expect(stdout).toContain('the first start creates it');
    expect(stdout).toMatch(
      new RegExp(`petstore ${version} has Bun ${Bun.version} and SQLite 3\\.\\d+\\.\\d+ inside`),
    );
    expect(readdirSync(at.path)).toEqual([]);
  });

  it('distinguishes a bad setting from an unknown option', async () => {
    const found = await runCli(['doctor', '--database-url', 'mongodb://shop']);
    expect(found).toEqual({
      status: 1,
      stderr: '',
      stdout: expect.stringMatching(/^PROBLEM {2}configuration/),
    });
    expect(await runCli(['doctor', '--limit-of-nothing'])).toMatchObject({ status: 2, stdout: '' });
  });

  it('warns when no key can be used, or when one can be guessed', async () => {
    await makeStore(at.store);
    const args = ['--database-url', at.store];
    expect(await diagnose('keys', args)).toMatchObject([{ state: 'ok', message: '1 API key can be used.' }]);
    await runCli(['keys', 'revoke', '1', '--in', '1h', ...args]);
    expect(await diagnose('keys', args)).toMatchObject([{ state: 'ok' }]);
    await runCli(['keys', 'revoke', '1', ...args]);
    expect(await diagnose('keys', args)).toMatchObject([{ state: 'warning' }]);
    const [long, short] = ['the-first-of-two-keys,the-second-of-two-keys', 'the-first-of-two-keys,two'];
    expect(await diagnose('keys', args, { env: { API_KEYS: long } })).toMatchObject([
      { state: 'ok', message: '2 API keys can be used.' },
    ]);
    expect(await diagnose('keys', args, { env: { API_KEYS: short } })).toMatchObject([
      { state: 'warning', message: 'A key in API_KEYS is so short that it can be guessed.' },
    ]);
  });

  it('warns about a store that others can read', async () => {
    await makeStore(at.store);
    chmodSync(at.store, 0o644);
    expect(await diagnose('rights', ['--database-url', at.store])).toMatchObject([
      { state: 'warning', remedy: `Run chmod 600 ${at.store}.` },
    ]);
  });

  it('reports a folder and a file that it may not write to', async () => {
    await makeStore(at.store);
    chmodSync(at.store, 0o400);
    const wrap = heldToRights;
    expect(await diagnose('rights', ['--database-url', at.store], { wrap })).toMatchObject([
      { state: 'problem' },
    ]);
    chmodSync(at.path, 0o500);
    const missing = inFolder('data/other.db');
    expect(await diagnose('rights', ['--database-url', missing], { wrap })).toMatchObject([
      { state: 'problem' },
    ]);
    chmodSync(at.path, 0o700);
  });

  it('names a read-only file system', async () => {
    await makeStore(at.store);
    const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const wrap = (command: string[]) => ['unshare', '-rm', 'sh', '-c', mount, at.path, ...command];
    for (const name of [at.store, inFolder('other.db')])
      expect(await diagnose('rights', ['--database-url', name], { wrap })).toMatchObject([
        { state: 'problem', message: expect.stringContaining('read-only file system') },
      ]);
  });

  it('checks a store that is being served without changing a byte, and the port', async () => {
    await using service = await startService();
    await addPets(service.call, 5);
    const read = () => ['', '-wal'].map((suffix) => readFileSync(`${service.database}${suffix}`, 'hex'));
    const before = read();
    expect(before[1]).not.toBe('');
    expect(await diagnose('store', ['--database-url', service.database])).toMatchObject([{ state: 'ok' }]);
    expect(read()).toEqual(before);
    const { port } = new URL(service.url);
    expect(await diagnose('port', ['--port', port, '--database-url', service.database])).toMatchObject([
      { state: 'ok', message: `A service responds at ${service.url}.` },
    ]);
  });

  it('reports another program on the port, and an invalid certificate', async () => {
    using stranger = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end() },
    });
    const key = join(import.meta.dir, '../fixtures/localhost-key.pem');
    const swapped = ['--tls-cert', key, '--tls-key', key];
    expect(await diagnose('configuration', swapped)).toMatchObject([{ state: 'problem' }]);
    expect(await diagnose('port', ['--port', String(stranger.port)])).toMatchObject([{ state: 'problem' }]);
  });
});

describe('petstore doctor on PostgreSQL', () => {
  it('checks an empty database and a store', async () => {
    await using place = await makePostgresPlace();
    const args = ['--database-url', place.address];
    const empty = await examine(args);
    expect(empty('store')).toMatchObject([
      { state: 'ok', message: expect.stringContaining('holds no store yet') },
    ]);
    expect(empty('keys')).toMatchObject([{ state: 'warning' }]);
    await makeStore(place.address);
    const made = await examine(args);
    expect(made('store')).toMatchObject([
      { state: 'ok', message: expect.stringMatching(/^PostgreSQL \d+.* holds \d+ pets\.$/) },
    ]);
    expect(made('rights')).toMatchObject([{ state: 'ok' }]);
    expect(made('keys')).toMatchObject([{ state: 'ok', message: '1 API key can be used.' }]);
    await runCli(['keys', 'revoke', '1', '--in', '1h', ...args]);
    expect(await diagnose('keys', args)).toMatchObject([{ state: 'ok' }]);
    await runCli(['keys', 'revoke', '1', ...args]);
    expect(await diagnose('keys', args)).toMatchObject([{ state: 'warning' }]);
  });

  it('reports a server that cannot be reached', async () => {
    const [store] = await diagnose('store', [
      '--database-url',
      'postgres://shop:secret-word@127.0.0.1:1/shop',
    ]);
    expect(store).toMatchObject({ state: 'problem', message: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(store)).not.toContain('secret-word');
  });
});
