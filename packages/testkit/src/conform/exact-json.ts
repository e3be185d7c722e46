/** Stands before a number's digits while they are a string: Node 20 cannot read or write a number as it was sent. */
const mark = `number ${crypto.randomUUID()} `;
const markedNumber = new RegExp(`"${mark}([^"]*)"`, 'g');
/** Matches whole strings, so that digits inside them are skipped. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A JSON number, kept as the characters of the text. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toString(): string {
    return this.source;
  }

  toJSON(): string {
    return mark + this.source;
  }
}

/** Like `JSON.parse`, but every number becomes a {@link JsonNumber}. */
export function parseExactJson(text: string): unknown {
  // Invalid text must fail here, because the marks could make it valid.
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new JsonNumber(value.slice(mark.length)) : value,
  );
}

/** Like `JSON.stringify`, but writes each {@link JsonNumber} as it was read. */
export function renderExactJson(value: unknown): string {
  return JSON.stringify(value).replace(markedNumber, '$1');
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
