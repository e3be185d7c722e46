import { IdTakenError, OperatorError, PetstoreError } from '../../domain/error.ts';
import { importBatchSize, type ImportedPet, type ImportStore } from '../../domain/bulk/import-store.ts';
import { interruption } from '../terminal/interruption.ts';
import { asInterrupted } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import { createContentHash, readRecords, type CheckedInput, type PetSource } from './check.ts';

/** Adds the good rows that are missing in the store. Returns how many are in it: fewer than all if interrupted. */
export async function addPets(
  source: PetSource,
  { contentHash, goodCount }: CheckedInput,
  store: ImportStore,
  addedBefore: number,
): Promise<number> {
  const largestId = source.keepsIds ? await store.largestId() : undefined;
  using progress = showProgress('added', goodCount, { done: addedBefore });
  const standing: Standing = { addedCount: addedBefore, goodCount, nextId: undefined };
  try {
    for await (const pets of batches(source, contentHash, standing)) {
      if (interruption.exitStatus !== undefined) break;
      standing.nextId = pets[0]?.id;
      if (standing.addedCount === addedBefore) refuseTakenIds(standing, largestId);
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
  if (content.digest('hex') !== contentHash) throw inputChanged(standing);
  if (batch.length > 0) yield batch;
}

/** The progress of an import. */
interface Standing {
  addedCount: number;
  goodCount: number;
  /** The first id of the batch, if ids are kept. */
  nextId: bigint | undefined;
}

function refuseTakenIds(standing: Standing, largestId: bigint | undefined): void {
  const { addedCount, nextId } = standing;
  if (nextId === undefined || largestId === undefined || nextId > largestId) return;
  const verb = addedCount === 0 ? 'begin' : 'continue';
  throw idsTaken(
    `The ids in the file ${verb} with ${nextId}, but the store has ids up to ${largestId}.`,
    standing,
  );
}

/** Without --keep-ids, the file would be another import and add its pets a second time. */
function idsTaken(problem: string, standing: Standing): OperatorError {
  return stopped(
    problem,
    standing,
    'Import into an empty store, or without --keep-ids.',
    'Import the whole file into an empty store that no service uses, or put the rows from id ' +
      `${standing.nextId} on into another file and import that without --keep-ids.`,
  );
}

/** The remedy depends on whether anything has been added. */
function stopped(problem: string, standing: Standing, atFirst: string, later: string): OperatorError {
  if (standing.addedCount === 0) return new OperatorError(`${problem} Nothing was written.`, atFirst);
  return new OperatorError(`${problem} ${describeDone(standing)}`, later);
}

export function describeDone({ addedCount, goodCount }: Pick<Standing, 'addedCount' | 'goodCount'>): string {
  return `${addedCount.toLocaleString('en')} of ${goodCount.toLocaleString('en')} pets are in the store.`;
}

function inputChanged(standing: Standing): OperatorError {
  return stopped(
    'The file was changed while it was being imported.',
    standing,
    'Run the same command again.',
    'Importing the changed file would add them twice: restore its old content and run the same command again, ' +
      'or import the changed file into an empty store.',
  );
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
