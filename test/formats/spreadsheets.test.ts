import { describe, expect, it } from 'bun:test';
import { petsOf, readPieces } from '../support/read-pieces.ts';

const utf16le = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string): Buffer => utf16le(text).swap16();
const rex = { name: 'Rex; "the", 1st', categoryId: 7n, status: 'sold' as const };
const jose = { name: 'José €\r\n2', categoryId: 1n };
const problem = expect.stringMatching(/^categoryId must be an integer .*, not "one"\.$/) as never;

/** What Excel writes: CRLF, quotes where they are needed, and a cell of two lines. */
function sheet(separator: string): string {
  const rows = [
    [' Name ', 'CATEGORYID', 'Status', 'Shelf'],
    ['"Rex; ""the"", 1st"', '7', 'sold', '3'],
    ['"José €\r\n2"', '1', '', ''],
    ['Ada', 'one', '', ''],
  ];
  return rows.map((row) => `${row.join(separator)}\r\n`).join('');
}

describe('CSV of a spreadsheet', () => {
  it.each([',', ';', '\t'])('is read with the separator %j', (separator) => {
    for (const [prefix, firstLine] of [
      ['', 2],
      ['\ufeff', 2],
      [`sep=${separator}\r\n`, 3],
      [`\ufeffSEP=${separator}\r\n`, 3],
    ] as const) {
      const rows = readPieces('csv', prefix + sheet(separator), [9, 30, 7]);
      expect(petsOf(rows)).toEqual([rex, jose, problem]);
      expect(rows.map(({ line }) => line)).toEqual([firstLine, firstLine + 1, firstLine + 3]);
    }
  });

  it.each([
    ['little-endian', utf16le],
    ['big-endian', utf16be],
  ])('is read as %s UTF-16 however it is cut, with its lines', (_order, encode) => {
    const bytes = encode(`sep=\t\r\n${sheet('\t')}🐾\t2\t\t\r\n`);
    for (const lengths of [[], [5, 3, 1, 1, 1, 7], [4, ...Array.from({ length: bytes.length }, () => 1)]]) {
      const rows = readPieces('csv', bytes, lengths);
      expect(petsOf(rows)).toEqual([rex, jose, problem, { name: '🐾', categoryId: 2n }]);
      expect(rows.map(({ line }) => line)).toEqual([3, 4, 6, 7]);
    }
  });

  it('is refused if its UTF-16 is damaged', () => {
    const lone = utf16le('name;categoryId\r\nA\ud83d;1\r\n');
    expect(() => readPieces('csv', lone)).toThrow('The file is not valid UTF-16LE.');
    const cut = utf16be('name;categoryId\r\nB;2').subarray(0, -1);
    expect(() => readPieces('csv', cut)).toThrow(
      'The file is not valid UTF-16BE. Nothing was written. Save it as UTF-8.',
    );
  });

  it('is read as windows-1252 on request, unless it has a byte order mark', () => {
    const bytes = Buffer.from('name;categoryId\r\nJos\xe9 \x80 \x9f;1\r\n', 'latin1');
    const read = (input: Uint8Array, encoding: 'utf-8' | 'windows-1252') =>
      petsOf(readPieces('csv', input, [20, 1], false, encoding));
    expect(read(bytes, 'windows-1252')).toEqual([{ name: 'José € Ÿ', categoryId: 1n }]);
    expect(() => read(bytes, 'utf-8')).toThrow('add --encoding windows-1252.');
    const marked = Buffer.from('\ufeffname;categoryId\r\nJosé;1\r\n');
    expect(read(marked, 'windows-1252')).toEqual([{ name: 'José', categoryId: 1n }]);
  });
});

describe('a file that is not text', () => {
  it.each([
    ['xlsx and ods', 'PK\x03\x04\x14\0secret'],
    ['xls', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1secret'],
  ])('is refused with advice on how to save it as CSV: %s', (_name, bytes) => {
    for (const format of ['csv', 'ndjson'] as const) {
      expect(() => readPieces(format, Buffer.from(bytes, 'latin1'))).toThrow(
        /^This is a spreadsheet [^\0]*save it with "Save As" as "CSV UTF-8", and import the new file\.$/,
      );
    }
  });
});

describe('a long name', () => {
  const longest = 'x'.repeat(64 * 1024 - '{"name":""}'.length);

  it.each([
    ['ndjson', (name: string) => `${JSON.stringify({ name, categoryId: 1 })}\n`],
    ['csv', (name: string) => `name,categoryId\n${name},1\n`],
  ] as const)('is read if a body can hold it, and refused if not: %s', (format, written) => {
    expect(petsOf(readPieces(format, written(longest)))).toEqual([{ name: longest, categoryId: 1n }]);
    for (const name of [`${longest}x`, 'é'.repeat(33_000), '\u0001'.repeat(11_000)]) {
      const [refused] = petsOf(readPieces(format, written(name)));
      expect(refused).toMatch(/^name must fit into 65536 bytes, not ".+…"\.$/s);
    }
  });
});

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
