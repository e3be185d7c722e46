import { PetstoreError } from '../domain/error.ts';
import { orderStatuses } from '../domain/history.ts';
import { parseInt64 } from '../domain/int64.ts';
import { petStatuses } from '../domain/pet.ts';
import { etagOf } from '../domain/precondition.ts';
import { type OrderQuery, type Page, type PetQuery, type SearchQuery, sorts } from '../stores/store.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';
import {
  addParameters,
  checksumOf,
  decodeCursor,
  encodeCursor,
  type ListParameters,
  parametersOf,
  parseId,
  parseLimit,
  parseOneOf,
  parseTime,
  parseWords,
} from './parameters.ts';
import type { Handler } from './route.ts';

/** What every list has in common. */
export interface ListQuery {
  limit: number;
  status?: string;
  after?: bigint;
  /** The list's own parameters, as a URL has them. */
  ownParameters?: string;
}

/** The parameters and the cursors of a list. */
export interface ListKind<Query extends ListQuery = ListQuery> {
  /** Absent for a list that has no such filter. */
  statuses?: readonly NonNullable<Query['status']>[];
  parameters?: ListParameters<Query>;
  /** What keeps the cursors of one list from being accepted by another. */
  cursorVersion: string;
  /** Where a refused cursor may come from, for the error message. */
  cursorOwner: string;
}

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

/** Creates the handler of a list. `read` reads one page. */
export function createList<Query extends ListQuery>(
  kind: ListKind<Query>,
  read: (query: Query, request: Request) => MaybePromise<Page>,
): Handler {
  return ({ request }) => {
    const query = parseListQuery(request.url, kind);
    return andThen(read(query, request), (page) => {
      const link = nextLink(query, page, kind);
      return { body: page.json, etag: etagOfPage(page), ...(link !== undefined && { link }) };
    });
  };
}

/** The `Link` to the next page (RFC 8288). A relative link with only a query survives any proxy. */
export function nextLink(query: ListQuery, { next }: Page, kind: ListKind): string | undefined {
  if (next === undefined) return undefined;
  const { limit, status, ownParameters } = query;
  const filters = `${status ? `&status=${status}` : ''}${ownParameters === undefined ? '' : `&${ownParameters}`}`;
  const cursor = encodeCursor(`${startOfPosition(query, kind)}${next}`);
  return `<?limit=${limit}${filters}&cursor=${cursor}>; rel="next"`;
}

/** Callers whose reads were joined share a page, and so its hash. */
const etags = new WeakMap<Page, string>();

function etagOfPage(page: Page): string {
  let etag = etags.get(page);
  if (etag === undefined) {
    // The mark makes the Link part of the ETag: a page that gains a successor changes only there.
    etag = etagOf(page.json, page.next === undefined ? '' : '.more');
    etags.set(page, etag);
  }
  return etag;
}

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

/** The id of the row that a page follows. A cursor belongs to one list with these filters. */
function parseCursor(cursor: string, query: ListQuery, kind: ListKind): bigint {
  const position = decodeCursor(cursor);
  const start = startOfPosition(query, kind);
  const id = position?.startsWith(start) ? parseInt64(position.slice(start.length)) : undefined;
  if (id !== undefined) return id;
  throw new PetstoreError(
    'invalid_cursor',
    `The cursor is damaged or belongs to ${kind.cursorOwner}. Follow the Link of a page as it was sent, or begin without a cursor.`,
  );
}

function startOfPosition({ status = '', ownParameters }: ListQuery, { cursorVersion }: ListKind): string {
  const start = `${cursorVersion}.${status}.`;
  return ownParameters === undefined ? start : `${start}${checksumOf(ownParameters)}.`;
}
