import { describe, expect, it } from 'bun:test';
import { petsOf, readPieces } from '../support/read-pieces.ts';

describe('bytes that are not UTF-8', () => {
  const line = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('","categoryId":1}\n')]);

  it.each([
    ['ndjson', (rows: Buffer[]) => Buffer.concat(rows)],
    [
      'json',
      (rows: Buffer[]) => Buffer.from(`[${rows.map((row) => row.toString('latin1')).join(',')}]`, 'latin1'),
    ],
    [
      'csv',
      (rows: Buffer[]) => {
        const records = rows.map((row) => `${row.toString('latin1').split('"')[3]},1\n`);
        return Buffer.from(`name,categoryId\n${records.join('')}`, 'latin1');
      },
    ],
  ] as const)('spoil their own row and no other: %s', (format, join) => {
    const replacement = [0xef, 0xbf, 0xbd];
    const input = join([
      line(0x41),
      line(0xff),
      line(...replacement),
      line(0xc3),
      line(0xed, 0xa0, 0x80),
      line(0x42),
    ]);
    for (const lengths of [[], Array.from({ length: input.length }, () => 1), [17, 5, 40]]) {
      const found = petsOf(readPieces(format, input, lengths));
      const bad = expect.stringMatching(
        /^This is not valid Unicode at column \d+: ".*\ufffd.*"\. If an older Excel .* --encoding windows-1252\.$/s,
      ) as never;
      const good = (text: string) => ({ name: text, categoryId: 1n });
      expect(found).toEqual([good('A'), bad, good('\ufffd'), bad, bad, good('B')]);
    }
  });

  it('do not include a byte order mark, which is skipped only at the beginning', () => {
    const mark = '\ufeff';
    expect(petsOf(readPieces('ndjson', `${mark}{"name":"${mark}","categoryId":1}`, [1, 1, 1]))).toEqual([
      { name: mark, categoryId: 1n },
    ]);
    expect(petsOf(readPieces('csv', `${mark}name,categoryId\nA,1`))).toEqual([{ name: 'A', categoryId: 1n }]);
  });
});
