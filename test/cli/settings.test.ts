import { describe, expect, it } from 'bun:test';
import { settings } from '../../src/cli/settings.ts';
import { makeFolder, runCli } from '../support/process/process.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

const variable = { DATABASE_URL: 'from-the-variable.db' };

describe('--database-url', () => {
  it.each<[string | undefined, Record<string, string>, string]>([
    ['from-the-flag.db', variable, 'from-the-flag.db'],
    ['', variable, 'from-the-variable.db'],
    [undefined, variable, 'from-the-variable.db'],
    [undefined, { DATABASE_URL: '' }, settings.databaseUrl.fallback],
    [undefined, {}, settings.databaseUrl.fallback],
  ])('given as %j with the environment %j is %s', (flag, environment, expected) => {
    const args = flag === undefined ? [] : ['--database-url', flag];
    expect(parseServeOptions(args, environment).databaseUrl).toBe(expected);
  });

  it('counts as absent when it is empty, for other commands too', async () => {
    using folder = makeFolder();
    const env = { DATABASE_URL: folder.database };
    const args = ['keys', 'create', '--name', 'till', '--database-url', ''];
    expect(await runCli(args, { env, cwd: folder.path })).toMatchObject({ status: 0 });
    expect((await runCli(['keys', 'list'], { env })).stdout).toContain('till');
  });
});
