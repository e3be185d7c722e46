import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { parseExactJson } from '../src/wire/json.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('parseExactJson', () => {
  it('keeps every digit of an integer', () => {
    const text = '[9223372036854775807,-9223372036854775808,9007199254740993,9007199254740991,0,-1]';
    expect(parseExactJson(text)).toEqual([
      9223372036854775807n,
      -9223372036854775808n,
      9007199254740993n,
      9007199254740991,
      0,
      -1,
    ]);
  });

  it('ignores digits inside a string', () => {
    const digits = '9223372036854775807';
    const strings = [
      `"id":${digits}`,
      `\\",${digits}`,
      digits,
      `\\\\"id\\":${digits}`,
      `{"a":${digits}}`,
      '\\',
    ];
    for (const string of strings)
      expect(parseExactJson(JSON.stringify({ [string]: [string] }))).toEqual({ [string]: [string] });
  });

  it('does not change fractions and exponents', () => {
    const text = '[0.12345678901234567890,12345678901234567890.5,1e3,12345678901234567890e2,-0.5E-7]';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it('reads back any name and id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), int64, int64, (petName, id, categoryId) => {
        const text = `[{"id":${id},"name":${JSON.stringify(petName)},"categoryId":${categoryId}}]`;
        const [pet] = parseExactJson(text) as [
          Record<'id' | 'categoryId', number | bigint> & { name: string },
        ];
        expect([BigInt(pet.id), pet.name, BigInt(pet.categoryId)]).toEqual([id, petName, categoryId]);
      }),
    );
  });

  it('refuses invalid JSON', () => {
    for (const text of ['', '{', '[01234567890123456789]', '[1,]', '"\n"', '1234567890123456789:', 'NaN'])
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
