import { describe, expect, it } from 'bun:test';
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { issueKey } from '../../src/stores/issue-key.ts';
import { storeAt } from '../../src/stores/open.ts';
import { makeCrashedStore } from '../support/crashed-store.ts';
import { hashesOf } from '../support/file-hashes.ts';
import { addPets } from '../support/http/calls.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { heldToRights, runCli, startService, type CliOptions } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

const at = useStoreFolder();

/** Checks the store of the test, on any free port. */
const check = (args: string[] = [], { env, ...options }: CliOptions = {}) =>
  runCli(['check', ...args], { cwd: at.path, env: { DATABASE_URL: at.store, ...env }, ...options });

/** Makes a store with one key. */
async function makeStore(database: string): Promise<void> {
  const store = await storeAt(database).open({});
  await issueKey(store.keys, { name: 'till', now: new Date() });
  await store.close();
}

/** Revokes the key from this time on. */
async function revoke(database: string, time: number): Promise<void> {
  const store = await storeAt(database).open({});
  await store.keys.revokeKey('1', new Date(time));
  await store.close();
}

const noKey = expect.stringContaining('No API key can be used') as string;

describe('petstore check', () => {
  it('says that there is no store yet, and creates nothing', async () => {
    const missing = at.inFolder('data/new.db');
    const { status, stdout, stderr } = await check(['--database-url', missing]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const inside = `petstore ${version} has Bun ${Bun.version} and SQLite `;
    expect(stdout).toStartWith(inside);
    const sqlite = stdout.slice(inside.length).split(' ')[0];
    expect(stdout).toEndWith(
      `There is no store at ${missing} (SQLite ${sqlite}) yet. The first start makes it.\n`,
    );
    expect(readdirSync(at.path)).toEqual([]);
  });

  it('exits with 1 if a setting is wrong, and with 2 if it is called wrongly', async () => {
    const key = join(import.meta.dir, '../fixtures/localhost-key.pem');
    expect(await check(['--tls-cert', key, '--tls-key', key])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('are not a certificate'),
    });
    expect(await refusalOf('check', '--limit-of-nothing')).toMatchObject({ status: 2 });
  });

  it('counts the keys that can be used, and warns if there are none', async () => {
    await makeStore(at.store);
    const keys = async (env = {}) => {
      const { status, stdout, stderr } = await check([], { env });
      return [status, /\d+ API keys? can be used/.exec(stdout)?.[0], stderr];
    };
    await revoke(at.store, Date.now() + 3_600_000);
    expect(await keys()).toEqual([0, '1 API key can be used', '']);
    await revoke(at.store, Date.now());
    expect(await keys()).toEqual([0, '0 API keys can be used', noKey]);
    expect(await keys({ API_KEYS: 'the-first-of-two-keys,the-second-of-two-keys' })).toEqual([
      0,
      '2 API keys can be used',
      '',
    ]);
  });

  it('reads a store that is served or has crashed without changing a byte of it', async () => {
    await using service = await startService({ databaseUrl: at.store });
    await addPets(service.call, 5);
    const { port } = new URL(service.url);
    // But for its shared memory, where readers mark what they read.
    const filesOf = (form: RegExp) =>
      Object.entries(hashesOf(at.path)).filter(([name]) => form.test(name) && !name.endsWith('-shm'));
    const served = filesOf(/^petstore/);
    expect(served).toHaveLength(2);
    const { status, stdout } = await check(['--port', port]);
    expect([status, stdout]).toEqual([0, expect.stringContaining('is sound and holds 5 pets')]);
    expect(stdout).toContain(`A service responds at ${service.url}.`);
    expect(filesOf(/^petstore/)).toEqual(served);

    const crashed = at.inFolder('crashed.db');
    await makeCrashedStore(crashed);
    // Without it, the log has to be read anew.
    rmSync(`${crashed}-shm`);
    const before = filesOf(/^crashed/);
    expect(before).toHaveLength(2);
    expect((await check(['--database-url', crashed])).stdout).toContain('is sound and holds 5 pets');
    expect(filesOf(/^crashed/)).toEqual(before);
  });

  it('refuses another program on the port', async () => {
    using stranger = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end() },
    });
    const { port } = stranger;
    expect(await check(['--port', String(port)])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken.`),
    });
  });

  it('refuses a store or a folder that a start may not write', async () => {
    await makeStore(at.store);
    const copy = at.inFolder('deep/copy.db');
    cpSync(at.store, copy);
    chmodSync(at.store, 0o400);
    const options = { wrap: heldToRights };
    const refused = { status: 1, stderr: expect.stringContaining('permission denied') as string };
    expect(await check([], options)).toMatchObject(refused);
    chmodSync(at.inFolder('deep'), 0o500);
    for (const name of [copy, at.inFolder('deep/new/other.db')])
      expect(await check(['--database-url', name], options)).toMatchObject(refused);
    chmodSync(at.inFolder('deep'), 0o700);
  });

  it('names a read-only file system', async () => {
    await makeStore(at.store);
    const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const wrap = (command: string[]) => ['unshare', '-rm', 'sh', '-c', mount, at.path, ...command];
    for (const name of [at.store, at.inFolder('other.db')])
      expect(await check(['--database-url', name], { wrap })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('read-only file system'),
      });
  });
});

describe('a start and a check', () => {
  /** What both say about these settings. */
  async function warningsOf(args: string[] = [], env: Record<string, string> = {}): Promise<string[]> {
    const checked = await check(args, { env });
    expect(checked.status).toBe(0);
    await using service = await startService({
      ...{ args, databaseUrl: at.store },
      env: { API_KEYS: undefined, ...env },
    });
    const logged = service.stdout
      .split('\n')
      .filter((line) => line.includes('"warn"'))
      .map((line) => (JSON.parse(line) as { message: string }).message);
    const shown = checked.stderr.split('\n').filter((line) => line !== '');
    expect(shown.map((line, index) => line.startsWith(`petstore: ${logged[index]}`))).toEqual(
      logged.map(() => true),
    );
    return logged;
  }

  it('warn of no usable key', async () => {
    await makeStore(at.store);
    await revoke(at.store, Date.now());
    expect(await warningsOf()).toEqual([noKey]);
  });

  it('warn of a store that every user can read', async () => {
    await makeStore(at.store);
    chmodSync(at.store, 0o644);
    expect(await warningsOf()).toEqual([
      `Every user of this machine may open the store. Run: chmod o= ${at.store}`,
    ]);
  });

  it('warn of plain text beyond this machine, and of a key that can be guessed', async () => {
    await makeStore(at.store);
    expect(await warningsOf(['--host', '0.0.0.0'], { API_KEYS: 'two' })).toEqual([
      expect.stringContaining('Keys and pets travel unencrypted.') as string,
      expect.stringContaining('A key in API_KEYS is so short that it can be guessed.') as string,
    ]);
  });
});

describe('petstore check on PostgreSQL', () => {
  it('finds no store, and then one', async () => {
    await using place = await makePostgresPlace();
    const args = ['--database-url', place.address];
    const empty = await check(args);
    expect(empty).toMatchObject({ status: 0, stderr: '' });
    expect(empty.stdout).toMatch(/There is no store at postgres:.* \(PostgreSQL 1\d.*\) yet\./);
    expect(String(await place.readAll())).not.toContain('petstore_schema');
    await makeStore(place.address);
    const made = await check(args);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toMatch(/ \(PostgreSQL 1\d.*\) is sound and holds 0 pets\. 1 API key can be used\./);
    await revoke(place.address, Date.now());
    expect(await check(args)).toMatchObject({ status: 0, stderr: noKey });
  });

  it('reports a server that cannot be reached', async () => {
    const { status, stdout, stderr } = await check([
      '--database-url',
      'postgres://shop:secret-word@127.0.0.1:1/shop',
    ]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(stdout + stderr).not.toContain('secret-word');
  });
});
