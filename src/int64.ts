/**
 * Integers of 64 bits, exact to the last digit. JavaScript's numbers lose digits past 2^53, so an
 * identifier is a `bigint` in memory and is read from the digits that were sent.
 */

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
const canonicalDecimal = /^(?:0|-?[1-9]\d{0,18})$/;
const jsonNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads a canonical decimal int64: no plus sign, no leading zero, no `-0`, no spaces. */
export function parseInt64(text: string): bigint | undefined {
  return canonicalDecimal.test(text) ? withinInt64(BigInt(text)) : undefined;
}

/** A number of a JSON text, kept as the characters that were sent. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The number's value if it is integral (`3.0` and `1e2` are) and fits int64. */
  toInt64(): bigint | undefined {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = jsonNumber.exec(this.source) ?? [];
    const digits = (whole + fraction).replace(/^0+/, '');
    if (digits === '') return 0n;
    const significant = withoutTrailingZeros(digits);
    // An absurd exponent becomes ±Infinity, which the two comparisons below refuse before any work is done.
    const trailingZeros = Number(exponent) - fraction.length + digits.length - significant.length;
    if (trailingZeros < 0 || significant.length + trailingZeros > 19) return undefined;
    return withinInt64(BigInt(sign + significant + '0'.repeat(trailingZeros)));
  }
}

/** Finds any number that a JavaScript number might not hold as it was written, and harmless digits in texts. */
const inexactNumber = /\d[.eE]|\d{16}/;

/**
 * `JSON.parse`, except that a number, or the numbers in the fields of an object, arrive exact: as a {@link JsonNumber},
 * unless all numbers of the text are integers of up to 15 digits. Nothing here uses what is nested in a field: beside
 * other numbers it arrives as an empty array.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!inexactNumber.test(text)) return value;
  const keepDigits = (_key: string, field: unknown, context: { source?: string }) =>
    typeof field === 'number' ? new JsonNumber(context.source ?? String(field)) : field;
  return JSON.parse(withoutNested(text), keepDigits as (key: string, field: unknown) => unknown);
}

/** The int64 that a value of {@link parseExactJson} is, if it is one. */
export function toInt64(value: unknown): bigint | undefined {
  if (value instanceof JsonNumber) return value.toInt64();
  return typeof value === 'number' ? BigInt(value) : undefined;
}

/** Strings are matched whole, so that brackets inside of them are passed over. */
const stringOrBracket = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/**
 * Sound JSON with an empty array for each array and object in its fields. A parse that tells the source of numbers
 * recurses, and deep nesting, which a plain parse takes, would end it.
 */
function withoutNested(text: string): string {
  let flat = '';
  let keptUpTo = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(stringOrBracket)) {
    if (token === '[' || token === '{') {
      depth += 1;
      if (depth === 2) flat += `${text.slice(keptUpTo, index)}[]`;
    } else if (token === ']' || token === '}') {
      if (depth === 2) keptUpTo = index + 1;
      depth -= 1;
    }
  }
  return flat + text.slice(keptUpTo);
}

/** Not `/0+$/`, which starts anew at each zero of a long number: one of 64 KiB would take seconds. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function withinInt64(value: bigint): bigint | undefined {
  return value >= smallest && value <= largest ? value : undefined;
}
