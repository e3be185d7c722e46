import { PetstoreError } from '../../domain/error.ts';
import { searchWords } from '../../domain/fold.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { orderStatuses } from '../../domain/history.ts';
import { type OrderQuery, pageLimit, type PetQuery, type SearchQuery, sorts } from '../../stores/store.ts';
import { petStatuses } from '../../domain/pet.ts';
import { type CursorKind, parseCursor } from './cursor.ts';

/** What every list has in common. */
export interface ListQuery {
  limit: number;
  status?: string;
  after?: bigint;
  /** The list's own parameters, as a URL has them. */
  ownParameters?: string;
}

/** The parameters and the cursors of a list. */
export interface ListKind<Query extends ListQuery> extends CursorKind {
  /** Absent for a list that has no such filter. */
  statuses?: readonly NonNullable<Query['status']>[];
  parameters?: ListParameters<Query>;
}

/** The parameters of a list by name. Each function turns a value into part of the query, or throws. */
export type ListParameters<Query> = Record<string, (value: string) => Partial<Query>>;

export const petList: ListKind<PetQuery> = {
  statuses: petStatuses,
  cursorVersion: '1',
  cursorOwner: 'another status',
};

const sort = (value: string) => ({ sort: parseOneOf(sorts, value, 'sort') });
const cursorOwner = 'another query';

export const categoryList: ListKind<PetQuery> = { cursorVersion: 'c1', cursorOwner };

export const orderList: ListKind<OrderQuery> = {
  statuses: orderStatuses,
  cursorVersion: 'o1',
  cursorOwner,
  parameters: {
    petId: (value) => ({ petId: parseId(value, 'petId') }),
    returned: (value) => ({ returned: parseOneOf(['true', 'false'], value, 'returned') === 'true' }),
    since: (value) => ({ since: parseTime(value, 'since') }),
    until: (value) => ({ until: parseTime(value, 'until') }),
    sort,
  },
};

export const searchList: ListKind<SearchQuery> = {
  statuses: petStatuses,
  cursorVersion: 's1',
  cursorOwner,
  parameters: {
    q: (value) => ({ words: parseWords(value) }),
    id: (value) => ({ id: parseId(value, 'id') }),
    categoryId: (value) => ({ categoryId: parseId(value, 'categoryId') }),
    sort,
  },
};

const canonicalLimit = /^(?:[1-9]\d?|100)$/;
const validSearch = /^[^\0]{1,100}$/u;

/** Reads `limit`, `status`, `cursor` and the list's own parameters from a URL. Others are ignored. */
export function parseListQuery<Query extends ListQuery>(url: string, kind: ListKind<Query>): Query {
  const values = parametersOf(url);
  const query: ListQuery = { limit: parseLimit(values.get('limit')) };
  const status = values.get('status');
  if (kind.statuses && status !== undefined) query.status = parseOneOf(kind.statuses, status, 'status');
  if (kind.parameters) addParameters(query, values, kind.parameters);
  const cursor = values.get('cursor');
  if (cursor !== undefined) query.after = parseCursor(cursor, query, kind);
  return query as Query;
}

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
function parseTime(value: string, name: string): number {
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

function parseWords(value: string): string[] {
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
