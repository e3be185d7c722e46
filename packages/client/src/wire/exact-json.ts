import { petFields, requireBigint, type NewPet, type PetFields } from '../pet.ts';

/**
 * JSON whose integers keep every digit. `JSON.parse` alone reads `9007199254740993` as …992. Newer runtimes pass the
 * source text to the reviver; for older ones, long integers are marked before parsing.
 */

interface Context {
  source?: string;
}

const integer = /^-?\d+$/;
const hasSourceText = JSON.parse('1', (_key, _value, context?: Context) => context?.source === '1') === true;

/** Like `JSON.parse`, but integers too long for a number become a `bigint`. */
export function parseExactJson(text: string): unknown {
  return hasSourceText ? parseWithSourceText(text) : parseMarked(text);
}

/** For runtimes whose `JSON.parse` passes a value's source text. */
export function parseWithSourceText(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: Context) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined;
    return isExact || !integer.test(source) ? value : BigInt(source);
  });
}

/** Matches whole strings, so that digits inside them are skipped, and numbers in any notation. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const markName = 'exact integer';

/** For all other runtimes. Integers of 16 or more digits are parsed as an object that contains the digits. */
export function parseMarked(text: string): unknown {
  // Invalid text must fail here, because the marks could make it valid.
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.length > 15 && integer.test(token) ? `{"${markName}":"${token}"}` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const digits = (value as Record<string, unknown>)[markName];
    if (typeof digits !== 'string' || !integer.test(digits)) return value;
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
