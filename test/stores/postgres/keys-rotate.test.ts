import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { runCli } from '../../support/process/process.ts';
import { openProxy, type PostgresProxy } from '../../support/postgres/proxy.ts';
import { makeDatabase, sharedServer, type Database } from '../../support/postgres/server.ts';

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
  return runCli(['keys', ...args, '--json', '--database-url', proxy.address(database.name)]);
}

const countActive = async (): Promise<number> =>
  (await database.run('SELECT FROM api_keys WHERE revoked_at IS NULL')).length;

describe('petstore keys rotate, when its connection is lost', () => {
  it.each<[string, () => void]>([
    ['after the old key was replaced', () => proxy.cutNext('replace-key', 'after-answer')],
    ['at an unknown time', () => proxy.lose('replace-key')],
  ])('%s has shown the new key, which is valid, and fails', async (_title, loseConnection) => {
    loseConnection();
    const { status, stdout, stderr } = await runKeys('rotate', '1');
    expect({ status, losses: proxy.cuts + proxy.losses }).toEqual({ status: 1, losses: 1 });
    expect(stderr).toEndWith('See: petstore keys list\n');
    expect(JSON.parse(stdout)).toMatchObject({
      key: expect.stringMatching(/^pets_\w{36}$/),
      state: 'active',
    });
    expect(await countActive()).toBe(2);
  });
});
