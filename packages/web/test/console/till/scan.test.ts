import { describe, expect, it } from 'bun:test';
import { Scanner, type Key } from '../../../src/console/scan.ts';

/** A word types its letters; each other entry is a key, with what is special about it. */
type Typed = string | (Partial<Key> & { key: string });

/** The digits of the scans in these keys, which come `gapMs` apart or after the pause that is said. */
function scansIn(keys: readonly (Typed | number)[], gapMs: number): string[] {
  const scanner = new Scanner();
  const scans: string[] = [];
  let timeStamp = 1000;
  for (const typed of keys) {
    if (typeof typed === 'number') {
      timeStamp += typed - gapMs;
      continue;
    }
    const isWord = typeof typed === 'string' && !['Enter', 'Tab', 'Shift', 'ArrowDown'].includes(typed);
    const parts = isWord ? Array.from(typed) : [typed];
    for (const part of parts) {
      timeStamp += gapMs;
      const rest = { repeat: false, isComposing: false, ctrlKey: false, altKey: false, metaKey: false };
      const found = scanner.take({
        ...rest,
        timeStamp,
        ...(typeof part === 'string' ? { key: part } : part),
      });
      if (found === 'second') scans.push('second');
      else if (typeof found === 'object') scans.push(found.digits);
    }
  }
  return scans;
}

const cases: [what: string, keys: (Typed | number)[], gapMs: number, scans: string[]][] = [
  ['four digits and Enter', ['0007', 'Enter'], 10, ['0007']],
  ['a Tab at the end', ['0007', 'Tab'], 10, ['0007']],
  ['nineteen digits', ['1234567890123456789', 'Enter'], 10, ['1234567890123456789']],
  ['35 ms on average', ['0007', 'Enter'], 35, ['0007']],
  ['36 ms on average', ['0007', 'Enter'], 36, []],
  ['one gap of 100 ms', ['0', 100, '0070000', 'Enter'], 5, ['00070000']],
  ['a gap of 101 ms, which begins anew', ['00', 101, '0071', 'Enter'], 5, ['0071']],
  ['an Enter after 101 ms', ['0007', 101, 'Enter'], 5, []],
  ['three digits', ['007', 'Enter'], 10, []],
  ['a number that somebody types', ['2024', 'Enter'], 120, []],
  ['letters before the digits', ['Kiwi2730', 'Enter'], 10, []],
  ['letters after the digits', ['0007a', 'Enter'], 10, []],
  ['letters before a pause', ['Kiwi', 150, '2730', 'Enter'], 10, ['2730']],
  ['no end', ['0007'], 10, []],
  ['another end', ['0007', 'ArrowDown'], 10, []],
  ['Shift between digits', ['0', 'Shift', '0', 'Shift', '07', 'Enter'], 5, ['0007']],
  ['two Enters', ['0007', 'Enter', 'Enter'], 10, ['0007', 'second']],
  ['two Enters of a person', ['0007', 'Enter', 150, 'Enter'], 10, ['0007']],
  ['one scan after the other', ['0007', 'Enter', '0008', 'Enter'], 10, ['0007', '0008']],
  ['a key that repeats', ['0', ...Array(6).fill({ key: '0', repeat: true }), 'Enter'], 10, []],
  ['an input method', [...Array(4).fill({ key: '1', isComposing: true }), 'Enter'], 10, []],
  ['a shortcut of the browser', [{ key: '1', ctrlKey: true }, '007', 'Enter'], 10, []],
];

describe('a scan', () => {
  it.each(cases)('%s', (_, keys, gapMs, scans) => {
    expect(scansIn(keys, gapMs)).toEqual(scans);
  });
});
