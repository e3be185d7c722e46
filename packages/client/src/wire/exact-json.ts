import { petFields, requireBigint, type NewPet, type PetFields } from '../pet.ts';

const integer = /^-?\d+$/;
/** Matches whole strings, so that digits inside them are skipped, and numbers in any notation. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const markName = 'exact integer';

/**
 * Like `JSON.parse`, but integers too long for a number become a `bigint`: `JSON.parse` reads `9007199254740993` as
 * …992. Integers of 16 or more digits are first replaced by an object that holds the digits, because not every runtime
 * passes the source text of a number to the reviver.
 */
export function parseExactJson(text: string): unknown {
  // Invalid text must fail here, because the marks could make it valid.
  const value: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return value;
  const marked = text.replace(stringOrNumber, (token) =>
    token.length > 15 && integer.test(token) ? `{"${markName}":"${token}"}` : token,
  );
  return JSON.parse(marked, (_key, field: unknown) => {
    if (typeof field !== 'object' || field === null) return field;
    const digits = (field as Record<string, unknown>)[markName];
    if (typeof digits !== 'string' || !integer.test(digits)) return field;
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
  });
}

/** The body of a create. */
export function renderNewPet(pet: NewPet): string {
  // For callers without types.
  if (pet.name === undefined) throw new TypeError('name must be a string.');
  requireBigint('categoryId', pet.categoryId);
  return `{${renderPetFields(pet)}}`;
}

/** Renders the given fields of a pet, without braces. `JSON.stringify` refuses a `bigint`. */
export function renderPetFields(fields: PetFields): string {
  const { name = '', categoryId = 0n } = fields;
  // For callers without types.
  if (typeof name !== 'string') throw new TypeError('name must be a string.');
  requireBigint('categoryId', categoryId);
  return petFields
    .filter((field) => fields[field] !== undefined)
    .map((field) => {
      const value = fields[field];
      return `"${field}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
    })
    .join(',');
}
