import { int64Range } from '../../int64.ts';
import type { Page, PageRequest, PetStatus } from '../../pet.ts';
import type { Database } from '../database.ts';
import type { Connection } from '../session/connection.ts';

export const dialectNames = ['postgres', 'portable'] as const;
export type DialectName = (typeof dialectNames)[number];

/** What differs between PostgreSQL itself and engines that only speak its protocol. All other statements are shared. */
export interface Dialect {
  name: DialectName;
  /** The columns of a pet, without its id, that `jsonOf` needs. */
  petColumns: string;
  jsonOf: (id: string, row: PetColumns) => string;
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

/** What was selected with `petColumns`; only the dialect itself knows the names. */
export type PetColumns = Record<string, unknown>;

export const smallestId = int64Range.smallest;
