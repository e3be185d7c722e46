import { expect, it } from 'bun:test';
import { runCli } from '../../support/process/process.ts';
import { openProxy } from '../../support/postgres/proxy.ts';
import { makeDatabase, sharedServer } from '../../support/postgres/server.ts';

it('keys rotate has shown the new key, which is valid, and fails when its connection is lost', async () => {
  await using database = await makeDatabase();
  await using proxy = await openProxy(sharedServer.port);
  const runKeys = (...args: string[]) =>
    runCli(['keys', ...args, '--json', '--database-url', proxy.address(database.name)]);
  await runKeys('create', '--name', 'till');
  proxy.cutNext('replace-key', 'after-answer');
  const { status, stdout, stderr } = await runKeys('rotate', '1');
  expect({ status, cuts: proxy.cuts }).toEqual({ status: 1, cuts: 1 });
  expect(stderr).toEndWith('See: petstore keys list\n');
  expect(JSON.parse(stdout)).toMatchObject({
    key: expect.stringMatching(/^pets_\w{36}$/),
    state: 'active',
  });
  expect(await database.run('SELECT FROM api_keys WHERE revoked_at IS NULL')).toHaveLength(2);
});
