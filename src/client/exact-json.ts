import type { NewPet } from './pet.ts';

/**
 * JSON whose integers keep every digit. `JSON.parse` alone reads `9007199254740993` as …992. Newer runtimes pass the
 * source text to the reviver; for older ones, long integers are marked before parsing.
 */

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const integer = /^-?\d+$/;

/** `JSON.parse`, except that integers too long for a number become a `bigint`. */
export function parseExactJson(text: string): unknown {
  return hasSourceText() ? parseWithSourceText(text) : parseMarked(text);
}

/** For runtimes whose `JSON.parse` passes the source text of a value. */
export function parseWithSourceText(text: string): unknown {
  return parse(text, (_key, value, context) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined;
    return isExact || !integer.test(source) ? value : BigInt(source);
  });
}

/** Matches strings whole, to skip the digits inside them, and numbers in any notation. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const markName = 'exact integer';

/** For all other runtimes. Integers of 16 or more digits are parsed as an object that holds the digits. */
export function parseMarked(text: string): unknown {
  // Invalid text must fail here, because the marks could make it valid.
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.length > 15 && integer.test(token) ? `{"${markName}":"${token}"}` : token,
  );
  return parse(marked, (_key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    const digits = (value as Record<string, unknown>)[markName];
    if (typeof digits !== 'string' || !integer.test(digits)) return value;
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
  });
}

/** The body of a create. `JSON.stringify` refuses a `bigint`. */
export function renderNewPet({ name, categoryId, status }: NewPet): string {
  if (typeof name !== 'string') throw new TypeError('name must be a string.');
  // For callers without types: a number may already have lost digits.
  if (typeof categoryId !== 'bigint')
    throw new TypeError('categoryId must be a bigint, such as 7n or BigInt(7).');
  const statusField = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

let isSourceTextKnown: boolean | undefined;

function hasSourceText(): boolean {
  return (isSourceTextKnown ??= parse('1', (_key, _value, context) => context?.source === '1') === true);
}

function parse(text: string, reviver: Reviver): unknown {
  return JSON.parse(text, reviver);
}
