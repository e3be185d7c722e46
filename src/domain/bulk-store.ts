import type { ApiKey } from './api-key.ts';
import type { ImportState } from './import-store.ts';
import type { Order } from './order.ts';
import type { Pet } from './pet.ts';

/** Which pet an idempotency key has created. */
export interface IdempotencyRecord {
  caller: string;
  key: string;
  requestHash: string;
  petId: bigint;
  createdAt: Date;
}

/** How far an import has come, so that a copied store does not begin it again. */
export interface ImportRecord extends ImportState {
  source: string;
}

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
  imports: BulkTable<ImportRecord>;

  lastIds(): Promise<LastIds>;
  /** Makes new ids follow these. An id that is larger already stays. */
  raiseLastIds(ids: LastIds): Promise<void>;

  close(): Promise<void>;
}

/** All rows of a table that follow one, batch by batch. */
export async function* readAll<Row>(
  table: BulkTable<Row>,
  { after, batchSize = 2000 }: { after?: Row | undefined; batchSize?: number } = {},
): AsyncGenerator<Row[]> {
  for (let reading = table.read(after, batchSize); ;) {
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
