import type { Database } from 'bun:sqlite';
import type { Readiness } from '../readiness.ts';
import type { Freshness } from './fresh.ts';
import type { Searcher } from './search.ts';
import type { Writer } from './writer.ts';

/** What the parts of an open store share. */
export interface StoreParts {
  database: Database;
  writer: Writer;
  readiness: Readiness;
  searcher: Searcher;
  freshness: Freshness;
  now: () => number;
}
