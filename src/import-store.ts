import type { NewPet } from './pet.ts';

/** A pet to add in bulk. With an id it keeps that; the pets of one batch have ids all or none. */
export interface ImportedPet extends NewPet {
  id?: bigint;
}

/** How far the import of one source has come. */
export interface ImportState {
  /** Its pets that are in the store. */
  addedCount: number;
  finishedAt?: Date;
}

/** Which part of an import a batch is. */
export interface ImportStep {
  /** Names what is imported by its content, so that the same bytes are the same import. */
  source: string;
  /** How many of its pets were in the store before. */
  addedBefore: number;
}

/**
 * Adds many pets at once, past the service. What an import has done is written together with its pets, so
 * that it can go on after any interruption without losing or doubling one.
 */
export interface ImportStore {
  findImport(source: string): Promise<ImportState | undefined>;

  /**
   * Adds all of the pets in their order, or none. Fails with `idempotency_conflict` when the import stands
   * elsewhere than the step says: somebody else does the same import.
   */
  addPets(pets: readonly ImportedPet[], step?: ImportStep): Promise<void>;

  /** Remembers that the import is complete. */
  finishImport(source: string, finishedAt: Date): Promise<void>;

  /** Forgets the import, so that its pets can be added once more. */
  forgetImport(source: string): Promise<void>;

  /** The largest id in the store; undefined when it is empty. */
  largestId(): Promise<bigint | undefined>;

  close(): Promise<void>;
}
