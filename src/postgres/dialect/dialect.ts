import type { Page, PageRequest, PetStatus } from '../../domain/pet.ts';
import type { Database } from '../database.ts';
import type { Connection } from '../session/connection.ts';

export const dialectNames = ['postgres', 'portable'] as const;
export type DialectName = (typeof dialectNames)[number];

/** What differs between PostgreSQL itself and engines that only speak its protocol. All other statements are shared. */
export interface Dialect {
  name: DialectName;
  /** Reads the pages that wait together, of one status or of all; in the order of the requests. */
  readPages(database: Reader, status: PetStatus | undefined, requests: PageRequest[]): Promise<Page[]>;
  /** Run on every session that serves requests, unless a pooler shares it. */
  prepareSession: (connection: Connection) => Promise<void>;
  /** False where `LISTEN` may be missing: then the checks of the keys' version do the work alone. */
  hasNotifications: boolean;
  /** False where advisory locks may be missing or do nothing. */
  hasAdvisoryLocks: boolean;
}

export type Reader = Pick<Database, 'read'>;

/** The page that these rows make. One row more than the page holds says that another page follows. */
export function pageOf<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  render: (row: Row) => string,
): Page {
  const shown = rows.slice(0, limit);
  const json = `[${shown.map(render).join(',')}]`;
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return last ? { json, next: BigInt(last.id) } : { json };
}
