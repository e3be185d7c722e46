import { crc32 } from 'node:zlib';
import { PetstoreError } from '../../domain/error.ts';
import { parseInt64 } from '../../domain/int64.ts';

/** What keeps the cursors of one list from being accepted by another. */
export interface CursorKind {
  cursorVersion: string;
  /** Where a refused cursor may come from, for the error message. */
  cursorOwner: string;
}

/** The part of a query that its cursors belong to. */
interface Filters {
  status?: string;
  ownParameters?: string;
}

/** The cursor behind the row with this id. */
export function cursorAfter(id: bigint, filters: Filters, kind: CursorKind): string {
  return encodeCursor(`${startOfPosition(filters, kind)}${id}`);
}

/** The id in a cursor of this list with these filters. */
export function parseCursor(cursor: string, filters: Filters, kind: CursorKind): bigint {
  const position = decodeCursor(cursor);
  const start = startOfPosition(filters, kind);
  const id = position?.startsWith(start) ? parseInt64(position.slice(start.length)) : undefined;
  if (id !== undefined) return id;
  throw new PetstoreError(
    'invalid_cursor',
    `The cursor is damaged or belongs to ${kind.cursorOwner}. Follow the Link of a page as it was sent, or begin without a cursor.`,
  );
}

function startOfPosition({ status = '', ownParameters }: Filters, { cursorVersion }: CursorKind): string {
  const start = `${cursorVersion}.${status}.`;
  return ownParameters === undefined ? start : `${start}${checksumOf(ownParameters)}.`;
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

function checksumOf(text: string): string {
  return crc32(text).toString(36);
}
