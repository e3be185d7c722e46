import { IdTakenError, PetstoreError } from '../../error.ts';
import type { ImportedPet, ImportStore } from '../../import-store.ts';
import { createContentHash, readRows, type Check, type CheckedInput } from './check.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { reasonOf } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';

/** How many pets one transaction adds: large enough for the disk, short enough for a service that waits. */
export const batchSize = 20_000;

export interface Addition extends CheckedInput, Pick<Check, 'input' | 'format' | 'keepsIds'> {
  store: ImportStore;
  /** The first so many pets are in the store already. */
  addedBefore: number;
  interruption: Interruption;
}

/** An import that ended early, for a reason that the operator can fix. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure';
}

/** Adds the good rows that are not in the store yet; fewer when it was interrupted. */
export async function addPets(addition: Addition): Promise<{ addedCount: number }> {
  const { store, source, goodCount, addedBefore, interruption, keepsIds } = addition;
  const largestId = keepsIds ? await store.largestId() : undefined;
  using progress = showProgress('added', goodCount, process.stderr, { done: addedBefore });
  let addedCount = addedBefore;
  let next: bigint | undefined;
  try {
    for await (const pets of batches(addition)) {
      if (interruption.exitStatus !== undefined) break;
      next = pets[0]?.id;
      if (addedCount === addedBefore) refuseTakenIds({ addedCount, goodCount, next }, largestId);
      await store.addPets(pets, { source, addedBefore: addedCount });
      addedCount += pets.length;
      progress.add(pets.length);
    }
  } catch (error) {
    throw explain(error, { addedCount, goodCount, next });
  }
  return { addedCount };
}

/** The last batch is held back until all was read and found to be what was checked. */
async function* batches(addition: Addition): AsyncGenerator<ImportedPet[]> {
  const content = createContentHash(addition);
  let skipped = 0;
  let batch: ImportedPet[] = [];
  for await (const rows of readRows(addition, (chunk) => content.update(chunk))) {
    for (const { pet } of rows) {
      if (!pet) continue;
      if (skipped < addition.addedBefore) {
        skipped += 1;
        continue;
      }
      if (batch.length === batchSize) {
        yield batch;
        batch = [];
      }
      batch.push(pet);
    }
  }
  if (content.digest('hex') !== addition.source) throw new InputChanged();
  if (batch.length > 0) yield batch;
}

/** The file is not the one that was checked. */
class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** Where an import stands before a batch. */
interface Standing {
  addedCount: number;
  goodCount: number;
  /** The id that comes next, when ids are kept. */
  next: bigint | undefined;
}

function refuseTakenIds(standing: Standing, largestId: bigint | undefined): void {
  const { addedCount, next } = standing;
  if (next === undefined || largestId === undefined || next > largestId) return;
  const place = addedCount === 0 ? 'begin' : 'go on';
  throw new ImportFailure(
    `The ids of the file ${place} with ${next}, and the store has ids up to ${largestId}. ${wayOut(standing)}`,
  );
}

/** The same file without --keep-ids is another import: it would add what is there once more. */
function wayOut(standing: Standing): string {
  if (standing.addedCount === 0) {
    return 'Nothing was written. Import into an empty store, or without --keep-ids.';
  }
  return (
    `${doneOf(standing)} Import the whole file into an empty store that no service uses, ` +
    `or put its rows from id ${standing.next} on into another file and import that without --keep-ids.`
  );
}

function doneOf({ addedCount, goodCount }: Standing): string {
  return `${addedCount.toLocaleString('en')} of ${goodCount.toLocaleString('en')} pets are in the store.`;
}

function explain(error: unknown, standing: Standing): unknown {
  if (error instanceof InputChanged) {
    const done =
      standing.addedCount === 0
        ? 'Nothing was written.'
        : `${doneOf(standing)} Importing the changed file would add them twice: give the file its old content and ` +
          'run the same command again, or import the changed one into an empty store.';
    return new ImportFailure(`The file was changed while it was being imported. ${done}`);
  }
  if (error instanceof PetstoreError && error.code === 'idempotency_conflict') {
    return new ImportFailure(
      'This file is already being imported by another process. Wait for it, then run this command again.',
    );
  }
  if (error instanceof PetstoreError && error.code === 'unavailable') {
    return new ImportFailure(
      `The import was interrupted: ${reasonOf(error)}. ${doneOf(standing)} Run the same command again to go on.`,
    );
  }
  if (error instanceof IdTakenError) {
    return new ImportFailure(`An id of the file has been taken meanwhile. ${wayOut(standing)}`);
  }
  return error;
}
