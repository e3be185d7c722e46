import type { Database } from 'bun:sqlite';
import type { Freshness } from './fresh.ts';
import type { Writer } from './writer.ts';

/** What the parts of an open store share. */
export interface StoreParts {
  database: Database;
  writer: Writer;
  freshness: Freshness;
  now: () => number;
}
