import { crc32 } from 'node:zlib';
import { PetstoreError } from '../../domain/error.ts';
import { searchWords } from '../../domain/fold.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { orderStatuses } from '../../domain/history.ts';
import {
  type OrderPageRequest,
  type Page,
  pageLimit,
  type PageRequest,
  type SearchRequest,
  sorts,
} from '../../stores/store.ts';
import { petStatuses } from '../../domain/pet.ts';

/** A list's filters and its cursor prefix, which stops one list from accepting another's cursors. */
export interface ListKind<AnyRequest extends ListRequest> {
  /** Absent for a list that has no such filter. */
  statuses?: readonly NonNullable<AnyRequest['status']>[];
  cursorVersion: string;
  /** Where a refused cursor may come from, for the error message. */
  cursorOwner: string;
  filters?: ListParameters<AnyRequest>;
}

/** The parameters of a list by name. Each function turns a value into part of the request, or throws. */
export type ListParameters<AnyRequest> = Record<string, (value: string) => Partial<AnyRequest>>;

export const petList: ListKind<PageRequest> = {
  statuses: petStatuses,
  cursorVersion: '1',
  cursorOwner: 'another status',
};

const sort = (value: string) => ({ sort: oneOf(sorts, value, 'sort') });
const cursorOwner = 'another query';

export const categoryList: ListKind<PageRequest> = { cursorVersion: 'c1', cursorOwner };

export const orderList: ListKind<OrderPageRequest> = {
  statuses: orderStatuses,
  cursorVersion: 'o1',
  cursorOwner,
  filters: {
    petId: (value) => ({ petId: parseId(value, 'petId') }),
    returned: (value) => ({ returned: oneOf(['true', 'false'], value, 'returned') === 'true' }),
    since: (value) => ({ since: parseTime(value, 'since') }),
    until: (value) => ({ until: parseTime(value, 'until') }),
    sort,
  },
};

export const searchList: ListKind<SearchRequest> = {
  statuses: petStatuses,
  cursorVersion: 's1',
  cursorOwner,
  filters: {
    q: (value) => ({ words: parseWords(value) }),
    id: (value) => ({ id: parseId(value, 'id') }),
    categoryId: (value) => ({ categoryId: parseId(value, 'categoryId') }),
    sort,
  },
};

type CursorKind = Pick<ListKind<ListRequest>, 'cursorVersion' | 'cursorOwner'>;

/** What every list has in common. */
export interface ListRequest {
  limit: number;
  status?: string;
  after?: bigint;
  /** The list's other parameters in this request, as a query string. */
  filter?: string;
}

const canonicalLimit = /^(?:[1-9]\d?|100)$/;
/** Accepts only characters that base64 and base64url share: a cursor never needs the others. */
const canonicalBase64 = /^(?:[A-Za-z\d]{4})*(?:[A-Za-z\d][AQgw]|[A-Za-z\d]{2}[AEIMQUYcgkosw048])?$/;
const validQuery = /^[^\0]{1,100}$/u;

/** Reads `limit`, `status`, `cursor` and the list's filters from a URL. Other parameters are ignored. */
export function parsePageRequest<AnyRequest extends ListRequest>(
  url: string,
  kind: ListKind<AnyRequest>,
): AnyRequest {
  if (!url.includes('?')) return { limit: pageLimit.default } as AnyRequest;
  const query = new Query(url);
  const request: ListRequest = { limit: parseLimit(query.get('limit')) };
  const status = query.get('status');
  if (kind.statuses && status !== undefined) request.status = oneOf(kind.statuses, status, 'status');
  if (kind.filters) addParameters(request, query, kind.filters);
  const after = parseCursor(query.get('cursor'), request, kind);
  if (after !== undefined) request.after = after;
  return request as AnyRequest;
}

/** Adds the values of a query to a request, and the query of these parameters as its `filter`. */
export function addParameters(
  request: { filter?: string },
  query: Query,
  parameters: ListParameters<object>,
): void {
  const given: [string, string][] = [];
  for (const [name, parse] of Object.entries(parameters)) {
    const value = query.get(name);
    if (value === undefined) continue;
    Object.assign(request, parse(value));
    given.push([name, value]);
  }
  if (given.length > 0) request.filter = new URLSearchParams(given).toString();
}

/** The `Link` to the next page (RFC 8288). A relative link with only a query survives any proxy. */
export function nextLink(request: ListRequest, { next }: Page, kind: CursorKind): string | undefined {
  if (next === undefined) return undefined;
  const { limit, status, filter } = request;
  const filters = `${status ? `&status=${status}` : ''}${filter === undefined ? '' : `&${filter}`}`;
  const cursor = encodeCursor(`${startOfPosition(request, kind)}${next}`);
  return `<?limit=${limit}${filters}&cursor=${cursor}>; rel="next"`;
}

export function parseLimit(value: string | undefined): number {
  if (value === undefined) return pageLimit.default;
  if (canonicalLimit.test(value)) return Number(value);
  throw invalid(
    `limit must be given once, as an integer from ${pageLimit.smallest} to ${pageLimit.largest}.`,
  );
}

export function oneOf<Value extends string>(known: readonly Value[], value: string, name: string): Value {
  const choice = known.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw invalid(`${name} must be given once, as one of ${known.join(', ')}.`);
}

export function parseId(value: string, name: string): bigint {
  const id = parseInt64(value);
  if (id === undefined) throw invalid(`${name} must be given once, as a decimal integer of 64 bits.`);
  return id;
}

/** RFC 3339, section 5.6. */
const timeForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3})(\d*))?(Z|[+-]\d\d:\d\d)$/;

/** In milliseconds, rounded up, because nothing happens between two of them. */
function parseTime(value: string, name: string): number {
  const [, seconds = '', fraction = '', rest = '', zone = ''] = timeForm.exec(value.toUpperCase()) ?? [];
  const time = Date.parse(seconds + zone);
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(time) || !new Date(`${seconds}Z`).toISOString().startsWith(seconds)) {
    throw invalid(
      `${name} must be given once, as a time with a zone such as 2026-11-18T09:00:00Z; a + in it is written as %2B.`,
    );
  }
  return time + Number(fraction.padEnd(3, '0')) + (/[1-9]/.test(rest) ? 1 : 0);
}

function parseWords(value: string): string[] {
  if (!validQuery.test(value)) throw invalid('q must be given once, as 1 to 100 characters without U+0000.');
  const words = searchWords(value);
  if (words.length === 0) throw invalid('q must have at least one word: spaces and accents alone are none.');
  return words;
}

export function invalid(message: string): PetstoreError {
  return new PetstoreError('invalid_parameter', message);
}

function parseCursor(cursor: string | undefined, request: ListRequest, kind: CursorKind): bigint | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  const start = startOfPosition(request, kind);
  const after = position?.startsWith(start) ? parseInt64(position.slice(start.length)) : undefined;
  if (after === undefined) {
    throw new PetstoreError(
      'invalid_cursor',
      `The cursor is damaged or belongs to ${kind.cursorOwner}. Follow the Link of a page as it was sent, or begin without a cursor.`,
    );
  }
  return after;
}

/** The position in a cursor; undefined for any text that {@link encodeCursor} would not produce. */
export function decodeCursor(cursor: string): string | undefined {
  const text = canonicalBase64.test(cursor) ? atob(cursor) : '';
  const positionEnd = text.lastIndexOf('.');
  const position = text.slice(0, positionEnd);
  return text.slice(positionEnd + 1) === checksumOf(position) ? position : undefined;
}

export function encodeCursor(position: string): string {
  const encoded = btoa(`${position}.${checksumOf(position)}`);
  const paddingAt = encoded.indexOf('=');
  return paddingAt === -1 ? encoded : encoded.slice(0, paddingAt);
}

/** Binds a cursor to its list and filters. */
function startOfPosition({ status, filter }: ListRequest, { cursorVersion }: CursorKind): string {
  const start = status === undefined ? `${cursorVersion}..` : `${cursorVersion}.${status}.`;
  return filter === undefined ? start : `${start}${checksumOf(filter)}.`;
}

function checksumOf(text: string): string {
  return crc32(text).toString(36);
}

/** The parameters of a URL's query, exactly as `URLSearchParams` reads them, which takes several times as long. */
export class Query {
  /** Names and values in turn. */
  readonly #parts: string[] = [];

  constructor(url: string) {
    const queryStart = url.indexOf('?');
    if (queryStart === -1) return;
    // Our own links contain nothing to decode.
    const read = encoded.test(url) ? decode : unchanged;
    for (let start = queryStart + 1; start < url.length;) {
      const separator = url.indexOf('&', start);
      const end = separator === -1 ? url.length : separator;
      const equals = url.indexOf('=', start);
      const nameEnd = equals === -1 || equals > end ? end : equals;
      if (end > start) this.#parts.push(read(url.slice(start, nameEnd)), read(url.slice(nameEnd + 1, end)));
      start = end + 1;
    }
  }

  /** The value of a parameter. Those of a repeated one are joined by a NUL, so that no check accepts them. */
  get(name: string): string | undefined {
    let joined: string | undefined;
    for (let index = 0; index < this.#parts.length; index += 2) {
      if (this.#parts[index] !== name) continue;
      const value = this.#parts[index + 1] ?? '';
      joined = joined === undefined ? value : `${joined}\0${value}`;
    }
    return joined;
  }
}

const encoded = /[%+]/;
const unchanged = (text: string): string => text;
const decode = (text: string): string => new URLSearchParams(`=${text}`).get('') ?? '';
