import type { ApiKey } from '../domain/api-key.ts';
import type { Category } from '../domain/category.ts';
import type { IdempotencyRecord } from '../domain/change.ts';
import type { Order } from '../domain/history.ts';
import type { Pet } from '../domain/pet.ts';

/** The largest ids ever used or skipped, including those of deleted pets; 0 if there are none. */
export interface LastIds {
  pets: bigint;
  orders: bigint;
}

/** One table of a store. Rows and their fields have the same order in every store. */
export interface BulkTable<Row> {
  count(): Promise<number>;
  /** Reads at most `limit` rows that follow `after`. */
  read(after: Row | undefined, limit: number): Promise<Row[]>;
  /** Adds rows unchanged, ids included: all of them or none. */
  write(rows: readonly Row[]): Promise<void>;
}

/** Everything that a store holds, for copies and exports, sorted by id unless a table says otherwise. */
export interface BulkStore {
  pets: BulkTable<Pet>;
  keys: BulkTable<ApiKey>;
  orders: BulkTable<Order>;
  categories: BulkTable<Category>;
  /** Sorted by time, then by pet. */
  idempotencyRecords: BulkTable<IdempotencyRecord>;

  lastIds(): Promise<LastIds>;
  /** Makes new ids follow these. A larger current value stays. Call it after the last `write`. */
  raiseLastIds(ids: LastIds): Promise<void>;

  /** Starts a new, empty event log. Cursors of the previous one are refused. */
  beginLog(): Promise<void>;

  close(): Promise<void>;
}

const batchSize = 2000;

/** All rows of a table, batch by batch. */
export async function* readAll<Row>(table: BulkTable<Row>): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  do {
    rows = await table.read(rows.at(-1), batchSize);
    if (rows.length > 0) yield rows;
  } while (rows.length === batchSize);
}
