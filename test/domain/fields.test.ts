import { describe, expect, it } from 'bun:test';
import { parsePetUpdate } from '../../src/domain/pet.ts';
import { parseExactJson } from '../../src/domain/int64.ts';

const parse = (json: string) => parsePetUpdate(parseExactJson(json, 2));

describe('parsePetUpdate', () => {
  it('reads the known fields and ignores the others', () => {
    expect(parse('{"name":"Rex","id":5,"colour":"red"}')).toEqual({ changes: { name: 'Rex' } });
    expect(parse('{"categoryId":9223372036854775807}')).toEqual({
      changes: { categoryId: 9_223_372_036_854_775_807n },
    });
    expect(parse('{"status":null}')).toEqual({ changes: { status: null } });
  });

  it('reads what the caller expects, int64 to the last digit', () => {
    expect(
      parse('{"status":"sold","expected":{"status":null,"categoryId":-9223372036854775808,"x":[1]}}'),
    ).toEqual({
      changes: { status: 'sold' },
      expected: { status: null, categoryId: -9_223_372_036_854_775_808n },
    });
  });
});
