import { crc32 } from 'node:zlib';
import { PetstoreError } from '../domain/error.ts';
import { searchWords } from '../domain/fold.ts';
import { parseInt64 } from '../domain/int64.ts';
import { pageLimit } from '../stores/store.ts';

/** The parameters of a list by name. Each function turns a value into part of the query, or throws. */
export type ListParameters<Query> = Record<string, (value: string) => Partial<Query>>;

/** Adds the values of these parameters to a query, and their text for its links. */
export function addParameters(
  query: { ownParameters?: string },
  values: ReadonlyMap<string, string>,
  parameters: ListParameters<object>,
): void {
  const own = new URLSearchParams();
  for (const [name, parse] of Object.entries(parameters)) {
    const value = values.get(name);
    if (value === undefined) continue;
    Object.assign(query, parse(value));
    own.append(name, value);
  }
  if (own.size > 0) query.ownParameters = own.toString();
}

/**
 * The parameters of a URL. The values of a repeated one are joined by a NUL, which no check accepts.
 * `URLSearchParams` takes several times as long, and our own links have nothing to decode.
 */
export function parametersOf(url: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const start = url.indexOf('?');
  if (start === -1) return values;
  const read = /[%+]/.test(url) ? decode : (text: string) => text;
  for (const pair of url.slice(start + 1).split('&')) {
    const equals = pair.indexOf('=');
    const nameEnd = equals === -1 ? pair.length : equals;
    const name = read(pair.slice(0, nameEnd));
    const value = read(pair.slice(nameEnd + 1));
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}\0${value}`);
  }
  return values;
}

function decode(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}

const canonicalLimit = /^(?:[1-9]\d?|100)$/;

export function parseLimit(value: string | undefined): number {
  if (value === undefined) return pageLimit.default;
  if (canonicalLimit.test(value)) return Number(value);
  throw invalidParameter(
    `limit must be given once, as an integer from ${pageLimit.smallest} to ${pageLimit.largest}.`,
  );
}

export function parseOneOf<Value extends string>(
  values: readonly Value[],
  text: string,
  name: string,
): Value {
  const value = values.find((each) => each === text);
  if (value !== undefined) return value;
  throw invalidParameter(`${name} must be given once, as one of ${values.join(', ')}.`);
}

export function parseId(value: string, name: string): bigint {
  const id = parseInt64(value);
  if (id === undefined)
    throw invalidParameter(`${name} must be given once, as a decimal integer of 64 bits.`);
  return id;
}

/** RFC 3339, section 5.6. */
const timeForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3})(\d*))?(Z|[+-]\d\d:\d\d)$/;

/** In milliseconds, rounded up, because the store keeps whole milliseconds. */
export function parseTime(value: string, name: string): number {
  const [, seconds = '', fraction = '', rest = '', zone = ''] = timeForm.exec(value.toUpperCase()) ?? [];
  const time = Date.parse(seconds + zone);
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(time) || !new Date(`${seconds}Z`).toISOString().startsWith(seconds)) {
    throw invalidParameter(
      `${name} must be given once, as a time with a zone such as 2026-11-18T09:00:00Z; a + in it is written as %2B.`,
    );
  }
  return time + Number(fraction.padEnd(3, '0')) + (/[1-9]/.test(rest) ? 1 : 0);
}

const validSearch = /^[^\0]{1,100}$/u;

export function parseWords(value: string): string[] {
  if (!validSearch.test(value))
    throw invalidParameter('q must be given once, as 1 to 100 characters without U+0000.');
  const words = searchWords(value);
  if (words.length === 0)
    throw invalidParameter('q must have at least one word; spaces and accents do not count.');
  return words;
}

export function invalidParameter(message: string): PetstoreError {
  return new PetstoreError('invalid_parameter', message);
}

/** The position in a cursor; undefined for any text that {@link encodeCursor} would not produce. */
export function decodeCursor(cursor: string): string | undefined {
  try {
    const text = atob(cursor);
    const position = text.slice(0, text.lastIndexOf('.'));
    return encodeCursor(position) === cursor ? position : undefined;
  } catch {
    // Not base64.
    return undefined;
  }
}

/** Base64 without padding. Positions have no letters that base64url would write differently. */
export function encodeCursor(position: string): string {
  return btoa(`${position}.${checksumOf(position)}`).replace(/=+$/, '');
}

export function checksumOf(text: string): string {
  return crc32(text).toString(36);
}
