import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { makeFolder, runCli } from '../support/process/process.ts';
import { exported } from '../support/process/files.ts';

describe('petstore seed', () => {
  it('adds as many plausible pets as asked, the same ones for the same seed', async () => {
    using folder = makeFolder();
    const [one, two, other] = ['one.db', 'two.db', 'other.db'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    const run = (database: string, ...args: string[]) =>
      runCli(['seed', '--database-url', database, '--count', ...args]);
    expect(await run(one, '21234')).toMatchObject({ status: 0, stdout: `Added 21,234 pets to ${one}.\n` });
    await run(two, '100');
    await run(other, '100', '--seed', '2');
    const text = await exported(one);
    expect(text.trimEnd().split('\n')).toHaveLength(21_234);
    const first = await exported(two);
    expect(text).toStartWith(first);
    expect(first.trimEnd().split('\n')).toHaveLength(100);
    expect(await exported(other)).not.toBe(first);
    for (const status of ['"available"', '"pending"', '"sold"']) expect(text).toContain(`"status":${status}`);
    expect(text).toMatch(/"categoryId":\d+\}\n/);
    const { stdout } = await runCli(['export', '--excel', '--database-url', two]);
    expect(new Set(stdout.match(/\w+(?=\r\n)/g)).size).toBe(1 + 12);
  });

  it.each<[string[], string]>([
    [['seed'], "Required option '--count <number>' not specified. See: petstore seed --help"],
    ...['1e3', ''].map((count): [string[], string] => [
      ['seed', '--count', count],
      `Option '--count <number>' argument '${count}' is invalid. It must be an integer from 1 to 1000000000. See: petstore seed --help`,
    ]),
  ])('refuses %j with status 2', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });
});
