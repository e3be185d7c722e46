import { IdTakenError, OperatorError, PetstoreError } from '../../domain/error.ts';
import { importBatchSize, type ImportStore } from '../../stores/bulk.ts';
import type { ImportedPet } from '../../domain/pet.ts';
import { interruption } from '../terminal/interruption.ts';
import { asInterrupted } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import { type CheckedInput, createContentHash, type PetSource, readRecords } from './check.ts';

/** Adds the good rows that are missing in the store. Returns how many are in it: fewer than all if interrupted. */
export async function addPets(
  source: PetSource,
  { contentHash, goodCount }: CheckedInput,
  store: ImportStore,
  addedBefore: number,
): Promise<number> {
  const largestId = source.keepsIds ? await store.largestId() : undefined;
  using progress = showProgress('added', goodCount, { done: addedBefore });
  const standing: Standing = { addedCount: addedBefore, goodCount };
  try {
    for await (const pets of batches(source, contentHash, standing)) {
      if (interruption.exitStatus !== undefined) break;
      if (standing.addedCount === addedBefore) refuseTakenIds(pets[0]?.id, largestId, standing);
      await store.addPets(pets, { source: contentHash, addedBefore: standing.addedCount });
      standing.addedCount += pets.length;
      progress.add(pets.length);
    }
  } catch (error) {
    throw asImportError(error, standing);
  }
  return standing.addedCount;
}

/** Holds back the last batch until the whole input was read again and matches what was checked. */
async function* batches(
  source: PetSource,
  contentHash: string,
  standing: Standing,
): AsyncGenerator<ImportedPet[]> {
  const content = createContentHash(source);
  const addedBefore = standing.addedCount;
  let skipped = 0;
  let batch: ImportedPet[] = [];
  for await (const records of readRecords(source, (chunk) => content.update(chunk))) {
    for (const { pet } of records) {
      if (!pet) continue;
      if (skipped < addedBefore) {
        skipped += 1;
        continue;
      }
      if (batch.length === importBatchSize) {
        yield batch;
        batch = [];
      }
      batch.push(pet);
    }
  }
  if (content.digest('hex') !== contentHash) {
    throw stopped(
      'The file was changed while it was being imported.',
      standing,
      'Run the same command again with the file as it was, or import the changed file into an empty store.',
    );
  }
  if (batch.length > 0) yield batch;
}

/** The progress of an import. */
interface Standing {
  addedCount: number;
  goodCount: number;
}

function refuseTakenIds(nextId: bigint | undefined, largestId: bigint | undefined, standing: Standing): void {
  if (nextId === undefined || largestId === undefined || nextId > largestId) return;
  const verb = standing.addedCount === 0 ? 'begin' : 'continue';
  throw idsTaken(
    `The ids in the file ${verb} with ${nextId}, but the store has ids up to ${largestId}.`,
    standing,
  );
}

/** Does not suggest leaving out --keep-ids: that is another import, which adds the first pets a second time. */
function idsTaken(problem: string, standing: Standing): OperatorError {
  return stopped(problem, standing, 'Import the file into an empty store that no service uses.');
}

function stopped(problem: string, standing: Standing, remedy: string): OperatorError {
  const state = standing.addedCount === 0 ? 'Nothing was written.' : describeDone(standing);
  return new OperatorError(`${problem} ${state}`, remedy);
}

export function describeDone({ addedCount, goodCount }: Standing): string {
  return `${addedCount.toLocaleString('en')} of ${goodCount.toLocaleString('en')} pets are in the store.`;
}

function asImportError(error: unknown, standing: Standing): unknown {
  if (error instanceof IdTakenError) return idsTaken('An id in the file has been taken meanwhile.', standing);
  if (error instanceof PetstoreError && error.code === 'idempotency_conflict') {
    return new OperatorError(
      'This file is already being imported by another process.',
      'Wait until it is done, then run this command again.',
    );
  }
  return asInterrupted('import', error, `${describeDone(standing)} Run the same command again to continue.`);
}
