import { timeField, toMs, type TableForm } from '../table.ts';
import { int64Range } from '../int64.ts';
import type { NewPet } from '../pet.ts';

/**
 * The largest id that an import may keep. New ids follow the largest one, so an id at the end of the range would leave
 * none for new pets. 10^15 ids stay free: at 30,000 creates a second, they last a thousand years.
 */
export const largestKeptId = int64Range.largest - 10n ** 15n;

/** How many pets one transaction adds: enough to be fast, few enough not to block a running service. */
export const importBatchSize = 20_000;

/** A pet to add in bulk. Either every pet of a batch has an id, which it keeps, or none has. */
export interface ImportedPet extends NewPet {
  id?: bigint;
}

/** The progress of an import. It is copied with the store, so a copy does not repeat the import. */
export interface ImportState {
  source: string;
  /** How many pets of the import are in the store. */
  addedCount: number;
  finishedAt?: Date;
}

export type ImportRow = Record<'source' | 'added_count', string> & { finished_at: string | null };

export const importTable: TableForm<ImportState, ImportRow> = {
  name: 'imports',
  columns: { source: 'text', added_count: 'bigint', finished_at: 'bigint' },
  keyLength: 1,
  valuesOf: ({ source, addedCount, finishedAt }) => [source, addedCount, toMs(finishedAt)],
  parse: ({ source, added_count: addedCount, finished_at: finishedAt }) => ({
    source,
    addedCount: Number(addedCount),
    ...timeField('finishedAt', finishedAt),
  }),
};

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
   * another process has advanced the import, and with `IdTakenError` if any pet ever had one of the ids.
   */
  addPets(pets: readonly ImportedPet[], step?: ImportStep): Promise<void>;

  /** Records that the import is complete. */
  finishImport(source: string, finishedAt: Date): Promise<void>;

  /** Forgets the import, so that its pets can be added again. */
  forgetImport(source: string): Promise<void>;

  /** The largest id ever used, including those of deleted pets; undefined if there is none. */
  largestId(): Promise<bigint | undefined>;

  close(): Promise<void>;
}
