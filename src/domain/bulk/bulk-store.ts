import type { ApiKey } from '../api-key.ts';
import type { IdempotencyRecord } from '../idempotency.ts';
import type { ImportState } from './import-store.ts';
import type { Order } from '../order.ts';
import type { Pet } from '../pet.ts';

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
  /** Adds rows unchanged, ids included: all of them or none. Fails with `IdTakenError` if an id is taken. */
  write(rows: readonly Row[]): Promise<void>;
}

/** Everything that a store holds, for copies and exports. A service uses `PetStore` and `ApiKeyStore`. */
export interface BulkStore {
  /** Sorted by id. */
  pets: BulkTable<Pet>;
  /** Sorted by id. */
  keys: BulkTable<ApiKey>;
  /** Sorted by id. */
  orders: BulkTable<Order>;
  /** Sorted by time, then by pet. */
  idempotencyRecords: BulkTable<IdempotencyRecord>;
  /** Sorted by source. */
  imports: BulkTable<ImportState>;

  lastIds(): Promise<LastIds>;
  /** Makes new ids follow these. A larger current value stays. Call it after the last `write`. */
  raiseLastIds(ids: LastIds): Promise<void>;

  /** Starts a new event log with one import event for all pets. Cursors of the previous log are refused. */
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
