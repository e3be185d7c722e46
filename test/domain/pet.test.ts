import { describe, expect, it } from 'bun:test';
import { parseExactJson } from '../../src/domain/int64.ts';
import { InvalidPetError, parseNewPet } from '../../src/domain/pet.ts';

const errorOf = (json: string): InvalidPetError => {
  try {
    parseNewPet(parseExactJson(json));
  } catch (error) {
    if (error instanceof InvalidPetError) return error;
    throw error;
  }
  throw new Error(`${json} is a valid pet.`);
};

describe('parseNewPet', () => {
  it.each([
    ['{}', { name: 'name is required.', categoryId: 'categoryId is required.' }],
    ['{"name":1,"categoryId":1}', { name: 'name must be a string.' }],
    [
      '{"name":"\\u0000","categoryId":1,"status":"gone"}',
      {
        name: 'name must be well-formed Unicode without U+0000.',
        status: 'status must be one of available, pending, sold, or left out.',
      },
    ],
    [
      '{"name":"Rex","categoryId":9223372036854775808}',
      { categoryId: 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.' },
    ],
  ])('reports the problems of %s by field, and all of them in the message', (json, problems) => {
    const { code, message, problems: reported } = errorOf(json);
    expect({ code, reported }).toEqual({ code: 'invalid_pet', reported: problems });
    expect(message).toBe(Object.values(problems).join(' '));
  });

  it.each(['[]', '1', 'null', '"Rex"', '1.5'])('refuses %s, which is not an object, as a whole', (json) => {
    const { message, problems } = errorOf(json);
    expect(problems).toEqual({});
    expect(message).toBe('The body must be a JSON object with the fields name and categoryId.');
  });
});
