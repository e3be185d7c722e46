import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import type { ShownKey } from '../../src/cli/keys.ts';
import { runCli } from '../support/process/process.ts';
import { superuser } from '../support/postgres/cluster.ts';
import { openProxy, type PostgresProxy } from '../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../support/postgres/server.ts';

type RotatedKey = ShownKey & { replaces: ShownKey };

let database: Database;
let proxy: PostgresProxy;
beforeEach(async () => {
  database = await makeDatabase();
  proxy = await openProxy(sharedServer.port);
  await runKeys('create', '--name', 'till');
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

function runKeys(...args: string[]): ReturnType<typeof runCli> {
  const { user, password } = superuser;
  const address = `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database.name}?sslmode=disable`;
  return runCli(['keys', ...args, '--json', '--database-url', address]);
}

const countActive = async (): Promise<number> =>
  (await database.run('SELECT FROM api_keys WHERE revoked_at IS NULL')).length;

describe('petstore keys rotate, when its connection is lost', () => {
  it('succeeds if the old key was replaced', async () => {
    proxy.cutNext('replace-key', 'after-answer');
    const { status, stdout, stderr } = await runKeys('rotate', '1');
    expect({ status, cuts: proxy.cuts }).toEqual({ status: 0, cuts: 1 });
    expect(stderr).toBe(`Store: postgres://127.0.0.1:${proxy.port}/${database.name}\n`);
    const made = JSON.parse(stdout) as RotatedKey;
    expect(made).toMatchObject({ state: 'active', replaces: { id: '1', replacedBy: made.id } });
    expect(await countActive()).toBe(2);
  });

  it('shows the new key with a warning if the outcome cannot be known', async () => {
    proxy.lose('replace-key');
    const { status, stdout, stderr } = await runKeys('rotate', '1');
    expect({ status, losses: proxy.losses }).toEqual({ status: 0, losses: 1 });
    expect(stderr).toContain('it is not known whether key 1 was replaced and expires');
    expect(stderr.replace(/^Store: .*/, '')).not.toMatch(/pets?\b/i);
    expect(JSON.parse(stdout)).toMatchObject({
      key: expect.stringMatching(/^pets_\w{36}$/),
      state: 'active',
    });
    expect(await countActive()).toBe(2);
  });
});
