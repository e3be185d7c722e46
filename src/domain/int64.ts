/** Exact 64-bit integers. A JavaScript number loses digits past 2^53, so an id is a `bigint`. */

export const int64Range = { smallest: -(2n ** 63n), largest: 2n ** 63n - 1n } as const;

const canonicalDecimal = /^(?:0|-?[1-9]\d{0,18})$/;
const jsonNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads a canonical decimal int64: no plus sign, no leading zero, no `-0`, no spaces. */
export function parseInt64(text: string): bigint | undefined {
  return canonicalDecimal.test(text) ? withinInt64(BigInt(text)) : undefined;
}

/** A JSON number, kept as the characters of the request. */
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
    // An absurd exponent becomes ±Infinity, which both comparisons below refuse.
    const trailingZeros = Number(exponent) - fraction.length + digits.length - significant.length;
    if (trailingZeros < 0 || significant.length + trailingZeros > 19) return undefined;
    return withinInt64(BigInt(sign + significant + '0'.repeat(trailingZeros)));
  }
}

/** Matches every number that a JavaScript number might round, and also digits in strings, which is harmless. */
const inexactNumber = /\d[.eE]|\d{16}/;

/**
 * Like `JSON.parse`, but each number is a {@link JsonNumber}, unless all numbers of the text are integers of at most
 * 15 digits. Arrays and objects nested deeper than `depth` may come back as empty arrays: no caller reads them.
 */
export function parseExactJson(text: string, depth = 1): unknown {
  const value: unknown = JSON.parse(text);
  if (!inexactNumber.test(text)) return value;
  const keepDigits = (_key: string, field: unknown, context: { source?: string }) =>
    typeof field === 'number' ? new JsonNumber(context.source ?? String(field)) : field;
  return JSON.parse(flatten(text, depth), keepDigits as (key: string, field: unknown) => unknown);
}

/** Parses JSON that the domain has rendered: its numbers are whole, and each becomes a `bigint`. */
export function parseRendered(json: string): unknown {
  const toBigInt = (_key: string, field: unknown, { source }: { source?: string }) =>
    typeof field === 'number' ? BigInt(source ?? field) : field;
  return JSON.parse(json, toBigInt as (key: string, field: unknown) => unknown);
}

/** The int64 in a value that {@link parseExactJson} returned, if it is one. */
export function toInt64(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof JsonNumber) return value.toInt64();
  return typeof value === 'number' ? BigInt(value) : undefined;
}

/** Matches whole strings first, so brackets inside them are ignored. */
const stringOrBracket = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** Empties nested arrays and objects: `JSON.parse` with a reviver recurses, and deep nesting overflows the stack. */
function flatten(text: string, maxDepth: number): string {
  let flat = '';
  let keptUpTo = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(stringOrBracket)) {
    if (token === '[' || token === '{') {
      depth += 1;
      if (depth === maxDepth + 1) flat += `${text.slice(keptUpTo, index)}[]`;
    } else if (token === ']' || token === '}') {
      if (depth === maxDepth + 1) keptUpTo = index + 1;
      depth -= 1;
    }
  }
  return flat + text.slice(keptUpTo);
}

/** A loop, because `/0+$/` takes quadratic time on a long number. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function withinInt64(value: bigint): bigint | undefined {
  return value >= int64Range.smallest && value <= int64Range.largest ? value : undefined;
}
