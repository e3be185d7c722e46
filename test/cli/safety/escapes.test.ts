import { describe, expect, it } from 'bun:test';
import { makeFolder, runCli } from '../../support/process/process.ts';

/** Sets a title, changes colours by C0 and C1, deletes, ends the line, and reverses the text. */
const hostile = 'a\u001b]0;owned\u0007b\u009b31mc\u007fd\r\ne\u202ef\u2028';
const shown = 'a\\u001b]0;owned\\u0007b\\u009b31mc\\u007fd\\u000d\\u000ae\\u202ef\\u2028';
/** What may never reach a terminal: control characters other than a line end, and those that reverse text. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function expectSafe(text: string): void {
  expect(text.split('\n').filter((line) => unsafe.test(line))).toEqual([]);
}

describe('petstore keys', () => {
  it('escapes control characters in names, and keeps the whole name in JSON', async () => {
    using folder = makeFolder();
    const keys = (...args: string[]) => runCli(['keys', ...args, '--database-url', folder.database]);
    for (const args of [['create', '--name', hostile], ['list'], ['revoke', '1']]) {
      const { status, stdout, stderr } = await keys(...args);
      expect(status).toBe(0);
      expect(stdout).toContain(shown);
      expectSafe(stdout + stderr);
    }
    const { stdout } = await keys('list', '--json');
    expectSafe(stdout);
    expect((JSON.parse(stdout) as { name: string }[])[0]).toMatchObject({ name: hostile });
  });
});

describe('an argument with control characters', () => {
  it.each([
    ['a command', [hostile]],
    ['a value', ['serve', '--port', hostile]],
    ['a file', ['restore', hostile]],
    ['a store', ['keys', 'list', '--database-url', hostile]],
    ['a certificate', ['check', '--tls-cert', hostile, '--tls-key', hostile]],
  ])('is shown escaped in an error: %s', async (_what, args) => {
    const { status, stdout, stderr } = await runCli(args);
    expect(status).not.toBe(0);
    expectSafe(stdout + stderr);
  });
});
