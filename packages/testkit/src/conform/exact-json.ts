// TypeScript's library does not declare it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

/** A JSON number, kept as the characters of the text. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toString(): string {
    return this.source;
  }

  toJSON(): unknown {
    return rawJSON(this.source);
  }
}

/** Like `JSON.parse`, but every number becomes a {@link JsonNumber}. `JSON.stringify` writes it back unchanged. */
export function parseExactJson(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context.source ?? String(value)) : value;
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

const jsonNumber = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Bounds the arithmetic below. No service needs this many zeros to write an int64. */
const maxShift = 400;

/** The value of a number if it is integral (`3.0` and `1e2` are) and fits int64. */
export function toInt64(value: unknown): bigint | undefined {
  if (!(value instanceof JsonNumber)) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = jsonNumber.exec(value.source) ?? [];
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(shift) > maxShift) return undefined;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % scale !== 0n) return undefined;
  const exact = shift < 0 ? digits / scale : digits * scale;
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}
