import type { ApiKey } from '../api-key.ts';
import type { IdempotencyRecord } from '../idempotency.ts';
import type { ImportState } from './import-store.ts';
import type { Order } from '../order.ts';
import type { Pet } from '../pet.ts';

/** The largest ids ever used, or passed over, even if their pets were deleted since; 0 when there were none. */
export interface LastIds {
  pets: bigint;
  orders: bigint;
}

/** One table of a store. The order of the rows, and of their fields, is the same in every store. */
export interface BulkTable<Row> {
  count(): Promise<number>;
  /** At most `limit` rows that follow `after`. */
  read(after: Row | undefined, limit: number): Promise<Row[]>;
  /** Adds rows as they are, ids included: all of them or none. Fails with `IdTakenError` when one is taken. */
  write(rows: readonly Row[]): Promise<void>;
}

/** Everything that a store holds, for copies and exports. A service uses `PetStore` and `ApiKeyStore`. */
export interface BulkStore {
  /** In ascending order of id. */
  pets: BulkTable<Pet>;
  /** In ascending order of id. */
  keys: BulkTable<ApiKey>;
  /** In ascending order of id. */
  orders: BulkTable<Order>;
  /** In ascending order of time, then of pet. */
  idempotencyRecords: BulkTable<IdempotencyRecord>;
  /** In ascending order of source. */
  imports: BulkTable<ImportState>;

  lastIds(): Promise<LastIds>;
  /** Makes new ids follow these. An id that is larger already stays. */
  raiseLastIds(ids: LastIds): Promise<void>;

  /** Begins an empty log of events with one import of all pets. Cursors of the log before are refused. */
  beginLog(): Promise<void>;

  close(): Promise<void>;
}

/** All rows of a table, batch by batch. */
export async function* readAll<Row>(table: BulkTable<Row>, { batchSize = 2000 } = {}): AsyncGenerator<Row[]> {
  for (let reading = table.read(undefined, batchSize); ;) {
    const rows = await reading;
    const isLast = rows.length < batchSize;
    if (!isLast) {
      // The next batch is read while the caller works on this one, which may be its last.
      reading = table.read(rows.at(-1), batchSize);
      reading.catch(() => {});
    }
    if (rows.length > 0) yield rows;
    if (isLast) return;
  }
}
