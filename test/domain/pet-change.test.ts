import { describe, expect, it } from 'bun:test';
import { parseExactJson } from '../../src/domain/int64.ts';
import type { Pet, PetFields } from '../../src/domain/pet.ts';
import { hasFields, parsePetUpdate, withFields } from '../../src/domain/pet-change.ts';

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

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 7n };

describe('hasFields', () => {
  it.each<[PetFields, boolean]>([
    [{}, true],
    [{ name: 'Rex', categoryId: 7n, status: null }, true],
    [{ status: 'available' }, false],
    [{ name: 'rex' }, false],
    [{ categoryId: 8n }, false],
  ])('compares %p', (fields, expected) => {
    expect(hasFields(rex, fields)).toBe(expected);
  });

  it('distinguishes a status from none', () => {
    expect(hasFields({ ...rex, status: 'sold' }, { status: null })).toBe(false);
  });
});

describe('withFields', () => {
  it('returns a pet with the new fields and leaves the original unchanged', () => {
    expect(withFields(rex, { name: 'Tom', status: 'sold' })).toEqual({ ...rex, name: 'Tom', status: 'sold' });
    const sold: Pet = { ...rex, status: 'sold' };
    expect(withFields(sold, { status: null })).toEqual(rex);
    expect(rex).toEqual({ id: 1n, name: 'Rex', categoryId: 7n });
  });
});
