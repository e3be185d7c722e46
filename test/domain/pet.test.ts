import { describe, expect, it } from 'bun:test';
import { parseExactJson } from '../../src/domain/int64.ts';
import { fingerprintOf } from '../../src/domain/change.ts';
import {
  InvalidPetError,
  type NewPet,
  parseNewPet,
  petFields,
  readPet,
  renderPet,
} from '../../src/domain/pet.ts';

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
    [`{"name":"${'x'.repeat(256)}","categoryId":1}`, { name: 'name must have at most 255 characters.' }],
    [`{"name":"${'🐕'.repeat(256)}","categoryId":1}`, { name: 'name must have at most 255 characters.' }],
  ])('reports the problems of %s by field, and all of them in the message', (json, problems) => {
    const { code, message, problems: reported } = errorOf(json);
    expect({ code, reported }).toEqual({ code: 'invalid_pet', reported: problems });
    expect(message).toBe(Object.values(problems).join(' '));
  });

  it.each(['x', '🐕', 'é'])('counts the code points of a name: 255 times %s', (character) => {
    const name = character.repeat(255);
    expect(parseNewPet({ name, categoryId: 1n })).toEqual({ name, categoryId: 1n });
  });

  it.each(['[]', '1', 'null', '"Rex"', '1.5'])('refuses %s, which is not an object', (json) => {
    const { message, problems } = errorOf(json);
    expect(problems).toEqual({});
    expect(message).toBe('The body must be a JSON object with the fields name and categoryId.');
  });
});

describe('the table of fields', () => {
  /** The compiler asks for every field. */
  const full: Required<NewPet> = { name: 'Re"x', categoryId: 2n ** 63n - 1n, status: 'sold' };
  const names = petFields.map(({ name }) => name);

  it('has every field of a pet, in the order in which it is rendered', () => {
    const json = renderPet(1n, full);
    expect(Object.keys(JSON.parse(json) as object)).toEqual(['id', ...names]);
    expect(parseNewPet(parseExactJson(json))).toEqual(full);
  });

  it('renders a pet without its optional fields', () => {
    const optional = petFields.filter(({ isOptional }) => isOptional).map(({ name }) => name);
    const bare: NewPet = { ...full };
    for (const name of optional) delete bare[name as 'status'];
    const json = renderPet(1n, bare);
    expect(parseNewPet(parseExactJson(json))).toEqual(bare);
    expect([readPet(json), readPet(renderPet(1n, full))]).toEqual([
      { id: 1n, ...bare },
      { id: 1n, ...full },
    ]);
  });
});

describe('fingerprintOf', () => {
  it('stays as it has been since the first release', () => {
    const bare = { name: 'Rex', categoryId: 7n };
    expect(fingerprintOf(bare)).toBe('6817f08f96deaae0e1b3a6c8759c84e8ae412e8fc6cc070bebbdfcddb3fab57f');
    expect(fingerprintOf({ ...bare, status: 'sold' })).toBe(
      'cc92caf8da6ac6590e72f19d3083bf72fa35e0a299e858c9d9eb652922489890',
    );
  });
});
