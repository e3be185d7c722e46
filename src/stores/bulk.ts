import type { ApiKey } from '../domain/api-key.ts';
import type { Category } from '../domain/category.ts';
import type { IdempotencyRecord } from '../domain/change.ts';
import type { Order } from '../domain/history.ts';
import type { ImportedPet, Pet } from '../domain/pet.ts';

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

/** Everything that a store holds, for copies and exports, sorted by id unless a table says otherwise. */
export interface BulkStore {
  pets: BulkTable<Pet>;
  keys: BulkTable<ApiKey>;
  orders: BulkTable<Order>;
  categories: BulkTable<Category>;
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

/** How many pets one transaction adds: enough to be fast, few enough not to block a running service. */
export const importBatchSize = 20_000;

/** The progress of an import. It is copied with the store, so a copy does not repeat the import. */
export interface ImportState {
  source: string;
  /** How many pets of the import are in the store. */
  addedCount: number;
  finishedAt?: Date;
}

/** The position of a batch in its import. */
export interface ImportStep {
  /** A hash of the imported content, which identifies the import. */
  source: string;
  /** How many pets of the import were added before this batch. */
  addedBefore: number;
}

/** Adds many pets at once. Progress is committed with the pets, so an interrupted import adds each exactly once. */
export interface ImportStore {
  findImport(source: string): Promise<ImportState | undefined>;

  /**
   * Adds all of the pets in their order, or none. Ids, if present, must ascend. Fails with `idempotency_conflict` if
   * another process has advanced the import, and with `IdTakenError` if any pet ever had one of the ids. Returns the
   * categories that were named for these pets.
   */
  addPets(pets: readonly ImportedPet[], step?: ImportStep): Promise<Category[]>;

  /** Names numbers that have no name. */
  nameCategories(categories: readonly Category[]): Promise<void>;

  /** Records that the import is complete. */
  finishImport(source: string, finishedAt: Date): Promise<void>;

  /** Forgets the import, so that its pets can be added again. */
  forgetImport(source: string): Promise<void>;

  /** The largest id ever used, including those of deleted pets; undefined if there is none. */
  largestId(): Promise<bigint | undefined>;

  close(): Promise<void>;
}
