import { describe, expect, it } from 'bun:test';
import { refusalOf } from '../../support/process/refusal.ts';

/** Sets a title, changes colours by C0 and C1, deletes, ends the line, and reverses the text. */
const hostile = 'a\u001b]0;owned\u0007b\u009b31mc\u007fd\r\ne\u202ef\u2028';
/** What may never reach a terminal: control characters other than a line end, and those that reverse text. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('an argument with control characters', () => {
  it.each([
    ['a command', [hostile]],
    ['the name of a key', ['keys', 'create', '--name', hostile]],
    ['a value', ['serve', '--port', hostile]],
    ['a file', ['restore', hostile]],
    ['a store', ['keys', 'list', '--database-url', hostile]],
    ['a certificate', ['check', '--tls-cert', hostile, '--tls-key', hostile]],
  ])('is shown escaped in an error: %s', async (_what, args) => {
    const { stderr } = await refusalOf(...args);
    expect(stderr.split('\n').filter((line) => unsafe.test(line))).toEqual([]);
  });
});
