import { describe, expect, it } from 'bun:test';
import { keyJson, type KeyJson } from '../../src/cli/keys.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { storeAt } from '../../src/stores/open.ts';
import type { ApiKeyStore } from '../../src/stores/store.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { runCli, startService, type CliResult } from '../support/process/process.ts';
import { refusalOf } from '../support/process/refusal.ts';
import { useStoreFolder } from '../support/process/store-folder.ts';

/** A key is replaced by two commands: `keys create --like` and `keys revoke --in`. */

const at = useStoreFolder();

const hourMs = 3_600_000;

function keysOf(database: string) {
  const run = (...args: string[]): Promise<CliResult> =>
    runCli(['keys', ...args], { env: { DATABASE_URL: database } });
  const json = async (...args: string[]): Promise<KeyJson> => {
    const { status, stdout } = await run(...args, '--json');
    expect(status).toBe(0);
    return JSON.parse(stdout) as KeyJson;
  };
  const withKeys = async <Result>(use: (keys: ApiKeyStore) => Promise<Result>): Promise<Result> => {
    const store = await storeAt(database).open({});
    try {
      return await use(store.keys);
    } finally {
      await store.close();
    }
  };
  return {
    run,
    json,
    list: () => withKeys(async (keys) => (await keys.listKeys()).map((key) => keyJson(key, new Date()))),
    create: (name: string) => withKeys((keys) => issueKey(keys, { name, now: new Date() })),
    revokeFirst: (afterMs: number) => withKeys((keys) => keys.revokeKey('1', new Date(Date.now() + afterMs))),
  };
}

const refuse = async (...args: string[]) =>
  (await refusalOf('keys', '--database-url', at.store, 'create', ...args)).stderr;

const lifetimeOf = ({ createdAt, expiresAt }: KeyJson) => Date.parse(expiresAt ?? '') - Date.parse(createdAt);

describe('petstore keys create --like', () => {
  it('makes a key with the same name, rights and lifetime, and shows the command that ends the old one', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'window', '--read-only', '--expires', '90d');
    const [before] = await keys.list();
    const { status, stdout } = await keys.run('create', '--like', '1');
    const [old, made] = await keys.list();
    expect(status).toBe(0);
    expect(stdout).toContain(
      `Key 2 (window) of ${at.store}, read-only, valid until ${made?.expiresAt}. It is shown only this once:`,
    );
    expect(stdout.match(/pets_[0-9A-Za-z]{36}/g)).toHaveLength(1);
    expect(stdout).toEndWith('\n\n  petstore keys revoke 1 --in 24h\n');
    expect(made).toMatchObject({ name: 'window', readOnly: true, mayDelete: false, state: 'active' });
    expect(lifetimeOf(made!)).toBe(90 * 24 * hourMs);
    expect(old).toEqual(before);
  });

  it('takes a name, unless several usable keys have it, and keeps that a key may not delete', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'till', '--no-delete');
    expect(await keys.json('create', '--like', 'till')).toMatchObject({
      ...{ id: '2', like: '1', name: 'till', expiresAt: null },
      ...{ readOnly: false, mayDelete: false },
    });
    expect(await refuse('--like', 'till')).toBe(
      'petstore: Several keys have the name "till": 1, 2. Use the id of one of them.\n',
    );
    // An announced end does not let the name mean the other key: both can be used.
    await keys.revokeFirst(hourMs);
    expect(await refuse('--like', 'till')).toContain('Several keys have the name');
    await keys.revokeFirst(0);
    expect(await keys.json('create', '--like', 'till')).toMatchObject({ id: '3', like: '2' });
  });

  it('names no command where the old key has an end already', async () => {
    const keys = keysOf(at.store);
    await keys.create('till');
    await keys.revokeFirst(hourMs);
    expect((await keys.run('create', '--like', '1')).stdout).not.toContain('petstore keys');
    await keys.revokeFirst(0);
    expect((await keys.run('create', '--like', '1')).stdout).not.toContain('petstore keys');
  });

  it('is refused for an unknown key, without a store, and beside what it would take over', async () => {
    const keys = keysOf(at.store);
    expect(await refuse('--like', '7')).toBe(`petstore: There is no store at ${at.store}. Check the path.\n`);
    expect(await refuse()).toBe('petstore: A key needs a name. Give it one: --name NAME\n');
    await keys.create('till');
    expect(await refuse('--like', '7')).toBe(
      'petstore: No key has the id or the name "7". See: petstore keys list\n',
    );
    for (const own of [['--name', 'x'], ['--expires', '3d'], ['--read-only'], ['--no-delete']])
      expect(await refuse('--like', '1', ...own)).toContain("Option '--like <id|name>' cannot be used with");
    expect(await keys.list()).toHaveLength(1);
  });
});

describe('petstore keys revoke --in', () => {
  it('says until when the key can be used, and never moves that later', async () => {
    const keys = keysOf(at.store);
    await keys.json('create', '--name', 'till', '--expires', '9d');
    const before = Date.now();
    const { status, stdout } = await keys.run('revoke', 'till', '--in', '2h');
    const [{ key, state, revokedAt, expiresAt }] = (await keys.list()) as [KeyJson];
    expect({ status, state }).toEqual({ status: 0, state: 'active' });
    expect(stdout).toBe(`Key 1 (till, ${key}) of ${at.store} can be used until ${revokedAt}.\n`);
    expect(Date.parse(revokedAt!)).toBeWithin(before + 2 * hourMs, Date.now() + 2 * hourMs + 1);
    expect((await keys.run('list')).stdout).toContain(
      `  active until ${revokedAt!.slice(0, 16).replace('T', ' ')}  `,
    );

    const again = await keys.run('revoke', '1', '--in', '3h');
    expect(again.stdout).toEndWith(` can be used until ${revokedAt}.\n`);
    expect(await keys.list()).toMatchObject([{ revokedAt, expiresAt }]);
    expect(await keys.json('revoke', '1')).toMatchObject({ state: 'revoked', expiresAt });
    expect((await keys.run('revoke', '1', '--in', '1h')).stdout).toEndWith(' is revoked.\n');
  });

  it.each(['SQLite', 'PostgreSQL'])(
    'lets callers of a service on %s use both keys until then, and the new one after',
    async (engine) => {
      const place = engine === 'PostgreSQL' ? await makePostgresPlace() : undefined;
      await using service = await startService(place && { databaseUrl: place.address });
      const keys = keysOf(service.database);
      const statusOf = async (key: string) => (await service.callWith(key, '/v1/pets')).status;
      const old = await keys.json('create', '--name', 'till');
      while ((await statusOf(old.key)) !== 200) await Bun.sleep(20);

      const made = await keys.json('create', '--like', old.id);
      const { revokedAt } = await keys.json('revoke', old.id, '--in', '2s');
      // PostgreSQL may learn of it within a second.
      const latestMs = Math.max(Date.parse(revokedAt!), Date.now() + 1000);
      for (let status = 200; status === 200;) {
        const startedAt = Date.now();
        status = await statusOf(old.key);
        if (startedAt > latestMs) expect(status).toBe(401);
        if (Date.now() < Date.parse(revokedAt!)) expect(status).toBe(200);
        await Bun.sleep(20);
      }
      expect(await statusOf(made.key)).toBe(200);
    },
  );
});
