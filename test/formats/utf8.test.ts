import { describe, expect, it } from 'bun:test';
import { petsOf, readPieces } from '../support/read-pieces.ts';

describe('a byte that is not UTF-8', () => {
  const row = (...bytes: number[]) => Buffer.from([...bytes, ...Buffer.from(',1\n')]);

  it.each([
    ['a byte of no character', [0xff]],
    ['a character that is cut off', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('makes import refuse the file: %s', (_title, bytes) => {
    const input = Buffer.concat([Buffer.from('name,categoryId\nJos\u00e9,1\n'), row(...bytes), row(0x42)]);
    for (const lengths of [[], Array.from({ length: input.length }, () => 1), [17, 5, 3]]) {
      expect(() => readPieces('csv', input, lengths)).toThrow(
        'The file is not valid UTF-8. Nothing was written. Save it as UTF-8. If an older Excel saved it, add --encoding windows-1252.',
      );
    }
  });

  it('may be the first half of the last character', () => {
    const input = Buffer.from('{"name":"A","categoryId":1}\n\u00e9').subarray(0, -1);
    expect(() => readPieces('ndjson', input)).toThrow('The file is not valid UTF-8.');
  });

  it('is neither a replacement character nor a byte order mark, which is skipped only at the beginning', () => {
    const mark = '\ufeff';
    const text = `${mark}{"name":"${mark}\ufffd","categoryId":1}`;
    expect(petsOf(readPieces('ndjson', text, [1, 1, 1]))).toEqual([
      { name: `${mark}\ufffd`, categoryId: 1n },
    ]);
    expect(petsOf(readPieces('csv', `${mark}name,categoryId\nA,1`))).toEqual([{ name: 'A', categoryId: 1n }]);
  });
});
