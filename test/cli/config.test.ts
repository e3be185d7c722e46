import { describe, expect, it } from 'bun:test';
import { databaseUrlOf, readConfig, settings } from '../../src/cli/config.ts';
import { makeFolder, runCli } from '../support/process/process.ts';

const variable = { DATABASE_URL: 'of-the-variable.db' };

describe('the place of the store', () => {
  it.each([
    ['of-the-flag.db', variable, 'of-the-flag.db'],
    ['', variable, 'of-the-variable.db'],
    [undefined, variable, 'of-the-variable.db'],
    [undefined, { DATABASE_URL: '' }, settings.databaseUrl.fallback],
    [undefined, {}, settings.databaseUrl.fallback],
  ])('with the flag %j and the environment %j is %s', (flag, environment, expected) => {
    expect(databaseUrlOf(flag, environment)).toBe(expected);
    const args = flag === undefined ? [] : ['--database-url', flag];
    expect(readConfig(args, environment).databaseUrl).toBe(expected);
  });

  it('is the same for the keys: an empty flag is none', async () => {
    using folder = makeFolder();
    const env = { DATABASE_URL: folder.database };
    const args = ['keys', 'create', '--name', 'till', '--database-url', ''];
    expect(await runCli(args, { env, cwd: folder.path })).toMatchObject({ status: 0 });
    expect((await runCli(['keys', 'list'], { env })).stdout).toContain('till');
  });
});
