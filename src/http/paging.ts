import { crc32 } from 'node:zlib';
import { PetstoreError } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { orderStatuses } from '../domain/order.ts';
import { pageLimit, petStatuses, type Page } from '../domain/pet.ts';

/** What a list filters by, and what its cursors begin with: the cursor of one list is none of another. */
export interface ListKind<Status extends string> {
  statuses: readonly Status[];
  cursorVersion: string;
  /** Where a cursor that is refused may come from, for its message. */
  cursorOwner: string;
}

export const petList = { statuses: petStatuses, cursorVersion: '1', cursorOwner: 'another status' };
export const orderList = {
  statuses: orderStatuses,
  cursorVersion: 'o1',
  cursorOwner: 'another list or status',
};

export interface ListRequest<Status extends string> {
  limit: number;
  status?: Status;
  after?: bigint;
}

const canonicalLimit = /^(?:[1-9]\d?|100)$/;
/** Only letters that base64 and base64url share: the text of a cursor needs no others. */
const canonicalBase64 = /^(?:[A-Za-z\d]{4})*(?:[A-Za-z\d][AQgw]|[A-Za-z\d]{2}[AEIMQUYcgkosw048])?$/;

/** The form of our own links, which nearly every query has: matching it is cheaper than `URLSearchParams`. */
const usualQuery = /^\?(?:limit=([\w-]*)(?:&|$))?(?:status=([\w-]*)(?:&|$))?(?:cursor=([\w-]*))?$/;

/** Reads `limit`, `status` and `cursor` from an address. Other parameters are ignored. */
export function parsePageRequest<Status extends string>(
  url: string,
  kind: ListKind<Status>,
): ListRequest<Status> {
  const queryStart = url.indexOf('?');
  if (queryStart === -1) return { limit: pageLimit.default };
  const query = url.slice(queryStart);
  const values = usualQuery.exec(query) ?? otherQuery(query);
  const request: ListRequest<Status> = { limit: parseLimit(values[1]) };
  const status = parseStatus(values[2], kind);
  if (status !== undefined) request.status = status;
  const after = parseCursor(values[3], status, kind);
  if (after !== undefined) request.after = after;
  return request;
}

/** The values in the order of `usualQuery`. */
function otherQuery(query: string): (string | undefined)[] {
  const parameters = new URLSearchParams(query);
  const valueOf = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    // No accepted value has a comma, so a parameter that is given twice is refused.
    return values.length === 0 ? undefined : values.join(',');
  };
  return [query, valueOf('limit'), valueOf('status'), valueOf('cursor')];
}

/** The `Link` to the next page (RFC 8288). It is only a query, which survives any proxy. */
export function nextLink<Status extends string>(
  { limit, status }: ListRequest<Status>,
  { next }: Page,
  kind: ListKind<Status>,
): string | undefined {
  if (next === undefined) return undefined;
  const filter = status ? `&status=${status}` : '';
  return `<?limit=${limit}${filter}&cursor=${formatCursor(next, status, kind)}>; rel="next"`;
}

function parseLimit(value: string | undefined): number {
  if (value === undefined) return pageLimit.default;
  if (!canonicalLimit.test(value)) {
    throw new PetstoreError(
      'invalid_parameter',
      `limit must be given once, as an integer from ${pageLimit.smallest} to ${pageLimit.largest}.`,
    );
  }
  return Number(value);
}

function parseStatus<Status extends string>(
  value: string | undefined,
  { statuses }: ListKind<Status>,
): Status | undefined {
  if (value === undefined) return undefined;
  const status = statuses.find((known) => known === value);
  if (status !== undefined) return status;
  throw new PetstoreError(
    'invalid_parameter',
    `status must be given once, as one of ${statuses.join(', ')}.`,
  );
}

function parseCursor(
  cursor: string | undefined,
  status: string | undefined,
  kind: ListKind<string>,
): bigint | undefined {
  if (cursor === undefined) return undefined;
  // Accepts exactly the texts that `formatCursor` makes, without making one to compare.
  const text = canonicalBase64.test(cursor) ? atob(cursor) : '';
  const positionEnd = text.lastIndexOf('.');
  const position = text.slice(0, positionEnd);
  const start = startOfPosition(status, kind);
  const after = position.startsWith(start) ? parseInt64(position.slice(start.length)) : undefined;
  if (after === undefined || text.slice(positionEnd + 1) !== checksumOf(position)) {
    throw new PetstoreError(
      'invalid_cursor',
      `The cursor is damaged or belongs to ${kind.cursorOwner}. Follow the Link of a page as it was sent, or begin without a cursor.`,
    );
  }
  return after;
}

function formatCursor(lastId: bigint, status: string | undefined, kind: ListKind<string>): string {
  const position = `${startOfPosition(status, kind)}${lastId}`;
  const encoded = btoa(`${position}.${checksumOf(position)}`);
  const paddingAt = encoded.indexOf('=');
  return paddingAt === -1 ? encoded : encoded.slice(0, paddingAt);
}

function startOfPosition(status: string | undefined, { cursorVersion }: ListKind<string>): string {
  return status === undefined ? `${cursorVersion}..` : `${cursorVersion}.${status}.`;
}

function checksumOf(position: string): string {
  return crc32(position).toString(36);
}
