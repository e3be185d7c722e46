import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../src/domain/error.ts';
import { parseExactJson } from '../../src/domain/int64.ts';
import type { Pet, PetFields } from '../../src/domain/pet.ts';
import { hasFields, parsePetUpdate, withFields } from '../../src/domain/pet-change.ts';

const parse = (json: string) => parsePetUpdate(parseExactJson(json, 2));

const messageOf = (json: string): string => {
  try {
    parse(json);
  } catch (error) {
    if (error instanceof PetstoreError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
};

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

  it.each([
    ['[]', 'invalid_pet: The body must be a JSON object.'],
    ['12345678901234567890', 'invalid_pet: The body must be a JSON object.'],
    ['{}', 'invalid_pet: The body must have at least one of the fields name, categoryId and status.'],
    [
      '{"nme":"Rex"}',
      'invalid_pet: The body must have at least one of the fields name, categoryId and status.',
    ],
    ['{"name":"Rex","expected":null}', 'invalid_pet: expected must be a JSON object.'],
    ['{"name":"Rex","expected":[]}', 'invalid_pet: expected must be a JSON object.'],
    [
      '{"name":"Rex","expected":{"sttus":"sold"}}',
      'invalid_pet: expected must have at least one of the fields name, categoryId and status.',
    ],
    ['{"name":null}', 'invalid_pet: name must be a string.'],
    [
      '{"name":1,"categoryId":1.5,"status":"gone"}',
      'invalid_pet: name must be a string. ' +
        'categoryId must be an integer from -9223372036854775808 to 9223372036854775807. ' +
        'status must be one of available, pending, sold, or null for none.',
    ],
    [
      '{"name":"Rex","expected":{"status":"gone"}}',
      'invalid_pet: expected.status must be one of available, pending, sold, or null for none.',
    ],
    [
      '{"name":1,"expected":{"name":2,"categoryId":"7"}}',
      'invalid_pet: name must be a string. expected.name must be a string. ' +
        'expected.categoryId must be an integer from -9223372036854775808 to 9223372036854775807.',
    ],
    [
      '{"expected":5}',
      'invalid_pet: The body must have at least one of the fields name, categoryId and status. ' +
        'expected must be a JSON object.',
    ],
  ])('refuses %s', (json, message) => {
    expect(messageOf(json)).toBe(message);
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

  it('does not take a status for none', () => {
    expect(hasFields({ ...rex, status: 'sold' }, { status: null })).toBe(false);
  });
});

describe('withFields', () => {
  it('changes what is given and leaves the pet it was given alone', () => {
    expect(withFields(rex, { name: 'Tom', status: 'sold' })).toEqual({ ...rex, name: 'Tom', status: 'sold' });
    const sold: Pet = { ...rex, status: 'sold' };
    expect(withFields(sold, { status: null })).toEqual(rex);
    expect(rex).toEqual({ id: 1n, name: 'Rex', categoryId: 7n });
  });
});
