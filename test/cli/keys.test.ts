import { afterAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { type ApiKey, isWellFormedKey, stateOf } from '../../src/domain/api-key.ts';
import type { KeyJson } from '../../src/cli/keys.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';
import { makeFolder, runCli, type CliResult } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';

const folder = makeFolder();
afterAll(() => folder[Symbol.dispose]());

const keys = (args: string[], database = folder.database): Promise<CliResult> =>
  runCli(['keys', ...args], { env: { DATABASE_URL: database } });

async function keysJson<Shown>(args: string[], database?: string): Promise<Shown> {
  const { status, stdout } = await keys([...args, '--json'], database);
  expect(status).toBe(0);
  return JSON.parse(stdout) as Shown;
}

/** Makes keys of these names. */
async function issue(path: string, ...names: string[]): Promise<void> {
  const store = openSqliteStore({ path });
  for (const name of names) await issueKey(store.keys, { name, now: new Date() });
  await store.close();
}

/** Each key's id and state. */
async function statesOf(path: string): Promise<string[]> {
  const store = openSqliteStore({ path });
  const now = Date.now();
  const states = (await store.keys.listKeys()).map((key) => `${key.id} ${stateOf(key, now)}`);
  await store.close();
  return states;
}

async function revokeNow(path: string, id: string): Promise<ApiKey | undefined> {
  const store = openSqliteStore({ path });
  const revoked = await store.keys.revokeKey(id, new Date());
  await store.close();
  return revoked;
}

const refuse = (database: string, ...args: string[]) =>
  refusalOf('keys', '--database-url', database, ...args);

const keyText = /pets_[0-9A-Za-z]{36}/g;

describe('petstore keys create', () => {
  it('shows the key once', async () => {
    const { status, stdout, stderr } = await keys(['create', '--name', 'till-1']);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `Made a new store at ${folder.database}.\n`,
    });
    expect(stdout).toContain(`(till-1) of ${folder.database}. `);
    const [key = '', ...others] = stdout.match(keyText) ?? [];
    expect(others).toEqual([]);
    expect(isWellFormedKey(key)).toBe(true);
  });

  it('prints JSON on request, with the whole key', async () => {
    const made = await keysJson<KeyJson>(['create', '--name', 'till-2']);
    expect(isWellFormedKey(made.key)).toBe(true);
    expect(made).toEqual({
      ...{ id: expect.any(String), key: made.key, name: 'till-2', state: 'active' },
      ...{ readOnly: false, mayDelete: true, createdAt: expect.any(String), expiresAt: null },
      ...{ revokedAt: null, lastUsedAt: null },
    });
  });

  it('accepts a day or a duration as expiry', async () => {
    const expiring = (text: string) => keysJson<KeyJson>(['create', '--name', 'fair', '--expires', text]);
    expect((await expiring('2099-01-31')).expiresAt).toBe('2099-01-31T00:00:00.000Z');
    const { createdAt, expiresAt } = await expiring('30m');
    expect(Date.parse(expiresAt ?? '') - Date.parse(createdAt)).toBe(30 * 60_000);
  });

  it.each(['', ' ', 'a\nb', 'x'.repeat(101)])('refuses the name %j', async (name) => {
    using place = makeFolder();
    const { status, stderr } = await refuse(place.database, 'create', '--name', name);
    expect(status).toBe(2);
    expect(stderr).toContain('It must have 1 to 100 characters, not only spaces, and no control characters.');
    expect(existsSync(place.database)).toBe(false);
  });

  it.each([
    ['2020-01-01', 'must be in the future.'],
    ['2099-02-30', 'must be a date such as 2027-01-31 or a time such as 90d.'],
  ])('refuses --expires %j', async (text, reason) => {
    using place = makeFolder();
    expect(await refuse(place.database, 'create', '--name', 'fair', '--expires', text)).toEqual({
      status: 2,
      stderr: `petstore: Option '--expires <when>' argument '${text}' is invalid. It ${reason} See: petstore keys create --help\n`,
    });
    expect(await Bun.file(place.database).exists()).toBe(false);
  });
});

describe('petstore keys list', () => {
  it.each([[['list']], [['revoke', '1']]])('creates no store where there is none: %j', async (args) => {
    using place = makeFolder();
    expect(await refuse(place.database, ...args)).toEqual({
      status: 1,
      stderr: `petstore: There is no store at ${place.database}. Check the path.\n`,
    });
    expect(existsSync(place.database)).toBe(false);
  });

  it('shows every key with its state, and none in full', async () => {
    using place = makeFolder();
    const first = await keysJson<KeyJson>(['create', '--name', 'till 1'], place.database);
    const second = await keysJson<KeyJson>(
      ['create', '--name', '犬', '--read-only', '--expires', '2099-01-31'],
      place.database,
    );
    await revokeNow(place.database, first.id);
    const third = await keysJson<KeyJson>(['create', '--name', 'till 3', '--no-delete'], place.database);
    expect(third).toMatchObject({ readOnly: false, mayDelete: false });
    expect(second).toMatchObject({ readOnly: true, mayDelete: false });

    const { stdout } = await keys(['list'], place.database);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    expect(head.split(/ {2,}/)).toEqual([
      'ID',
      'NAME',
      'KEY',
      'RIGHTS',
      'STATE',
      'CREATED (UTC)',
      'EXPIRES',
      'LAST USED',
    ]);
    expect(rows.map((row) => row.split(/ {2,}/).filter((_, column) => column !== 5))).toEqual([
      [first.id, 'till 1', `pets_…${first.key.slice(-4)}`, 'all', 'revoked', '-', '-'],
      [second.id, '犬', `pets_…${second.key.slice(-4)}`, 'read', 'active', '2099-01-31 00:00', '-'],
      [third.id, 'till 3', `pets_…${third.key.slice(-4)}`, 'no delete', 'active', '-', '-'],
    ]);
    const listed = await keysJson<KeyJson[]>(['list'], place.database);
    expect(listed.map(({ name }) => name)).toEqual(['till 1', '犬', 'till 3']);
    expect((stdout + JSON.stringify(listed)).match(keyText)).toBeNull();
  });
});

describe('petstore keys revoke', () => {
  it('names the revoked key, and keeps the first time when repeated', async () => {
    const made = await keysJson<KeyJson>(['create', '--name', 'lost']);
    const { status, stdout } = await keys(['revoke', made.id]);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `Key ${made.id} (lost, pets_…${made.key.slice(-4)}) of ${folder.database} is revoked.\n`,
    });
    const revokedAt = (await revokeNow(folder.database, made.id))?.revokedAt;
    const again = await keysJson<KeyJson>(['revoke', made.id]);
    expect(again).toMatchObject({ id: made.id, state: 'revoked', key: `pets_…${made.key.slice(-4)}` });
    expect(again.revokedAt).toBe(revokedAt!.toISOString());
  });

  it('takes the name of a key, unless several usable ones have it', async () => {
    using place = makeFolder();
    const revoke = (given: string) => keys(['revoke', given], place.database);
    const states = () => statesOf(place.database);
    await issue(place.database, 'till', 'till', 'till', '1');
    expect(await refuse(place.database, 'revoke', 'till')).toEqual({
      status: 1,
      stderr: 'petstore: Several keys have the name "till": 1, 2, 3. Use the id of one of them.\n',
    });
    // An id comes before a name.
    expect(await revoke('1')).toMatchObject({ status: 0, stdout: expect.stringContaining('Key 1 (till, ') });
    await revokeNow(place.database, '3');
    expect(await states()).toEqual(['1 revoked', '2 active', '3 revoked', '4 active']);
    expect(await revoke('till')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Key 2 (till, '),
    });
    expect((await refuse(place.database, 'revoke', 'till')).stderr).toContain(
      'Several keys have the name "till": 1, 2, 3.',
    );
    expect(await states()).toEqual(['1 revoked', '2 revoked', '3 revoked', '4 active']);
  });

  it('refuses an unknown id', async () => {
    using place = makeFolder();
    await issue(place.database, 'till');
    expect(await refuse(place.database, 'revoke', '--', '-1')).toEqual({
      status: 1,
      stderr: `petstore: No key has the id or the name "-1". See: petstore keys list\n`,
    });
    expect(await statesOf(place.database)).toEqual(['1 active']);
  });
});
