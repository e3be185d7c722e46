import type { ApiKey } from './api-key.ts';
import type { ImportState } from './import-store.ts';
import type { NewPet } from './pet.ts';

export interface StoredPet extends NewPet {
  id: bigint;
}

/** Which pet an idempotency key has created. */
export interface IdempotencyRecord {
  caller: string;
  key: string;
  requestHash: string;
  petId: bigint;
  createdAt: Date;
}

/** How far an import has come, so that it is not begun again elsewhere. */
export interface ImportRecord extends ImportState {
  source: string;
}

/** One kind of thing that a store keeps. The order of the rows, and of their fields, is the same in every store. */
export interface BulkTable<Row> {
  count(): Promise<number>;
  /** At most `limit` rows, those that follow `after`. */
  read(after: Row | undefined, limit: number): Promise<Row[]>;
  /** Adds rows as they are, ids included; all of them or none. */
  write(rows: readonly Row[]): Promise<void>;
}

/** Everything that a store holds, in bulk, for moving and for backups. A service uses the other interfaces. */
export interface BulkStore {
  /** In ascending order of id. */
  pets: BulkTable<StoredPet>;
  /** In ascending order of id. */
  keys: BulkTable<ApiKey>;
  /** In ascending order of time, then of pet. */
  idempotencyRecords: BulkTable<IdempotencyRecord>;
  /** In ascending order of source. */
  imports: BulkTable<ImportRecord>;
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
      // The next batch is on its way while the caller works on this one, which may be its last.
      reading = table.read(rows.at(-1), batchSize);
      reading.catch(() => {});
    }
    if (rows.length > 0) yield rows;
    if (isLast) return;
  }
}
