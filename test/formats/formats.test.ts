import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { createPetParser, createPetWriter, sniffFormat } from '../../src/formats/format.ts';
import type { ParsedRecord } from '../../src/formats/record.ts';
import { largestKeptId } from '../../src/domain/pet.ts';
import { petsOf, readPieces } from '../support/read-pieces.ts';

const linesOf = (rows: ParsedRecord[]) => rows.map(({ line }) => line);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const name = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom('', ' ', '"', ',', '\r\n', '\ufeff', '\ufffd', '🐾'),
  )
  .filter((text) => !text.includes('\0'));
const pet = fc.record({
  id: fc.bigInt({ min: 1n, max: largestKeptId }),
  name,
  categoryId: int64,
  status: fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined),
});
const pieces = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });

describe('a file of pets', () => {
  it.each(['ndjson', 'csv'] as const)('is read the same way however it is cut: %s', (format) => {
    fc.assert(
      fc.property(fc.array(pet, { maxLength: 20 }), pieces, (pets, lengths) => {
        const writer = createPetWriter(format);
        const half = Math.floor(pets.length / 2);
        const stored = pets.map(({ status, ...rest }) => (status ? { ...rest, status } : rest));
        const text = writer.begin + writer.render(stored.slice(0, half)) + writer.render(stored.slice(half));
        expect(petsOf(readPieces(format, text, lengths, true))).toEqual(stored);
        expect(petsOf(readPieces(format, text, lengths))).toEqual(stored.map(({ id: _id, ...rest }) => rest));
        if (pets.length > 0) expect(sniffFormat(text)).toBe(format);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a pet in JSON', () => {
  it.each(['1', '"Rex"', 'null', '[]', 'true'])('is not %s', (text) => {
    expect(petsOf(readPieces('ndjson', text))).toEqual([
      'A pet is a JSON object with the fields name and categoryId.',
    ]);
  });

  it.each([
    ['{"name":"\\ud800","categoryId":1}', 'name must be well-formed Unicode without U+0000, not "\\ud800".'],
    ['{"name":"A","categoryId":"1"}', /^categoryId must be an integer .*, not "1"\.$/],
    ['{"name":"A","categoryId":{"id":1}}', /^categoryId must be an integer .*, not an array or object\.$/],
    ['{"name":"A","categoryId":9223372036854775808}', /, not 9223372036854775808\.$/],
    [`{"name":"A","categoryId":${'9'.repeat(50)}}`, /, not 9{40}…\.$/],
    ['{"name":7}', 'name must be a string, not 7. categoryId is required.'],
    ['{"name":"A","categoryId":1,"status":"Sold"}', /^status must be one of .*, not "Sold"\.$/],
    [
      `{"name":"A","categoryId":1,"status":"\\u001b${'🐾'.repeat(50)}"}`,
      /^status must be one of .*, not "\\u001b(?:🐾){19}…"\.$/,
    ],
    ['{"name":"A" "categoryId":1}', /^This is not JSON at column 13: comma expected\.$/],
  ])('is refused: %s', (text, problem) => {
    const [row] = readPieces('ndjson', text);
    expect(row?.pet).toBeUndefined();
    expect(row?.problem).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it('needs an id if ids are kept', () => {
    const read = (text: string) => petsOf(readPieces('ndjson', text, [], true))[0];
    const refused =
      'id must be an integer from 1 to 9222372036854775807 when ids are kept, which leaves room for new ones';
    expect(read('{"name":"A","categoryId":1}')).toBe(`${refused}.`);
    expect(read('{"id":0,"name":"A","categoryId":1}')).toBe(`${refused}, not 0.`);
    expect(read('{"id":"1","name":"A","categoryId":1}')).toBe(`${refused}, not "1".`);
    expect(read('{"id":9222372036854775808,"name":"A","categoryId":1}')).toBe(
      `${refused}, not 9222372036854775808.`,
    );
    expect(read('{"id":9222372036854775807,"name":"A","categoryId":1}')).toEqual({
      id: 9222372036854775807n,
      name: 'A',
      categoryId: 1n,
    });
  });
});

describe('NDJSON', () => {
  it('counts lines, including blank ones, and accepts both line ends', () => {
    const text = '\n{"name":"A","categoryId":1}\r\n \t\n{"name":"B"}\n\n{"name":"C","categoryId":3}';
    const rows = readPieces('ndjson', text, [3, 9, 30]);
    expect(linesOf(rows)).toEqual([2, 4, 6]);
    expect(petsOf(rows)).toEqual([
      { name: 'A', categoryId: 1n },
      'categoryId is required.',
      { name: 'C', categoryId: 3n },
    ]);
  });

  it('refuses a line that never ends', () => {
    const reader = createPetParser('ndjson', false);
    expect(() => {
      for (let count = 0; count < 5000; count++) reader.push('x'.repeat(1024));
    }).toThrow('The record at line 1 is longer than 1 MiB');
  });
});

it('refuses a JSON array with advice', () => {
  expect(() => sniffFormat(' \n[{"name":"A"}]')).toThrow(/^This looks like a JSON array.* jq -c/);
});

describe('CSV', () => {
  it('accepts columns in any order, ignores others, and reads quotes as in RFC 4180', () => {
    const text = 'status,shelf,categoryId,name\r\nsold,3,7,"Rex, the ""1st"""\r\n,,-1,"two\r\nlines"\n,,0,\n';
    const rows = readPieces('csv', text, [10, 30, 3, 3]);
    expect(linesOf(rows)).toEqual([2, 3, 5]);
    expect(petsOf(rows)).toEqual([
      { name: 'Rex, the "1st"', categoryId: 7n, status: 'sold' },
      { name: 'two\r\nlines', categoryId: -1n },
      { name: '', categoryId: 0n },
    ]);
  });

  it.each([
    ['A', 'This row has 1 field, but the header has 3: "A".'],
    ['A,1,sold,x', 'This row has 4 fields, but the header has 3: "A,1,sold,x".'],
    ['A,1.0,sold', /^categoryId must be an integer .*, not "1\.0"\.$/],
    ['A,9223372036854775808,', /^categoryId must be an integer .*, not "9223372036854775808"\.$/],
    ['A,1,Flying', /^status must be one of .*, not "flying"\.$/],
    ['A\0,1,', /^name must be well-formed .*, not "A\\u0000"\.$/],
    [`A,x,${'y'.repeat(50)}`, /, not "x"\. status must be one of .*, not "y{40}…"\.$/],
    ['A"B",1,', /^A field with quotes .*: "A\\"B\\",1,"\.$/],
    ['"A,1,sold', /^A field with quotes/],
  ])('refuses the record %j', (record, problem) => {
    const [row, ...others] = readPieces('csv', `name,categoryId,status\n${record}\n`);
    expect(others).toEqual([]);
    expect(row?.problem).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    expect(row?.line).toBe(2);
  });

  it('trims numbers and no names', () => {
    const text = 'id,name,categoryId\n 7 , A ,\u00a0-1\t\n';
    expect(petsOf(readPieces('csv', text, [], true))).toEqual([{ id: 7n, name: ' A ', categoryId: -1n }]);
  });

  it.each([
    ['name,status\n', 'columns once: categoryId. It is "name,status".'],
    ['Rex,1,sold\n', 'columns once: name, categoryId.'],
    ['name;Name;categoryId\r\n', 'columns once: name.'],
    ['name;kind\r\n', 'columns once: categoryId. It is'],
    ['name|categoryId\r\n', 'columns once: name, categoryId.'],
  ])('refuses the header %j', (text, message) => {
    expect(() => readPieces('csv', text)).toThrow(message);
  });
});
