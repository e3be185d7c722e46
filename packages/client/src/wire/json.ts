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

/** The fields of parsed JSON; none if it is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}

/** True for an integer that has all its digits. */
export function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Reads a time from parsed JSON or a header; undefined if the value is not one. */
export function toDate(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
