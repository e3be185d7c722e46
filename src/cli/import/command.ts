import { type Command, Option } from 'commander';
import { IdTakenError, OperatorError, PetstoreError, usageError } from '../../domain/error.ts';
import { type ImportedPet, petFields } from '../../domain/pet.ts';
import { type Encoding, encodings, type PetFormat, petFormats } from '../../formats/format.ts';
import { importBatchSize, type ImportStore } from '../../stores/bulk.ts';
import { refuseFileOfStore, storeAt } from '../../stores/open.ts';
import { audited, auditHelp, storeOptions } from '../audit.ts';
import { settings } from '../settings.ts';
import { asInterrupted, countOf, listOf, print, report } from '../terminal/output.ts';
import { reportProgress } from '../terminal/progress.ts';
import { addExamples } from '../terminal/usage.ts';
import {
  type CheckedInput,
  checkPets,
  createContentHash,
  openInput,
  type PetSource,
  readRecords,
  sniff,
} from './input.ts';

interface ImportFlags {
  format?: PetFormat;
  encoding: Encoding;
  keepIds?: boolean;
  again?: boolean;
  databaseUrl: string;
}

const columns = petFields.map(({ name, isOptional }) => (isOptional ? `optionally ${name}` : name));

export function define(command: Command): void {
  command
    .description(
      'Add the pets in a file to a store. The service may keep running. The store assigns the ids.\n\n' +
        'The whole file is checked before anything is written: if one row is bad, nothing is added. If the import is ' +
        'interrupted, run the same command again: it continues. A file that was imported completely is not imported ' +
        'twice.',
    )
    .argument(
      '[file]',
      'One JSON object per line (NDJSON), or CSV (commas, semicolons or tabs) with a header that names the columns ' +
        `${listOf(columns)}; category, a number or a name, may stand in place of categoryId, which counts where a row has both; - is standard input.`,
      '-',
    )
    .addOption(
      new Option('--format <format>', 'Default: detected from the first character.').choices(petFormats),
    )
    .addOption(
      new Option('--encoding <encoding>', 'Older Excel saves windows-1252. UTF-16 is detected.')
        .choices(encodings)
        .default('utf-8'),
    )
    .option('--keep-ids', 'Keep the ids in the file. They must ascend, and follow those in the store.')
    .option('--again', 'Add the pets again, although this file was imported before.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp)
    .action(importPets);
  addExamples(
    command,
    'petstore import pets.ndjson',
    'petstore import pets.csv --encoding windows-1252',
    'zcat pets.gz | petstore import --database-url postgres://petstore@db/shop',
  );
}

async function importPets(path: string, flags: ImportFlags): Promise<void> {
  const { encoding, keepIds: keepsIds = false, again = false, databaseUrl } = flags;
  if (path === '-' && process.stdin.isTTY) {
    throw usageError('There is nothing to import.', 'Name a file: petstore import FILE');
  }
  if (path !== '-') refuseFileOfStore(databaseUrl, path);
  using input = await openInput(path);
  const source = { input, format: flags.format ?? (await sniff(input, encoding)), encoding, keepsIds };
  const result = await audited('import', databaseUrl, { file: path }, async () => {
    const checked = await checkPets(source);
    const store = await storeAt(databaseUrl).openImport(storeOptions(databaseUrl));
    try {
      return await addOnce(source, checked, store, again, storeAt(databaseUrl).name);
    } finally {
      await store.close();
    }
  });
  print(`${result}\n`);
}

/** Returns the sentence that describes the result. */
async function addOnce(
  source: PetSource,
  checked: CheckedInput,
  store: ImportStore,
  again: boolean,
  storeName: string,
): Promise<string> {
  const { contentHash, goodCount } = checked;
  const counts: ImportCounts = { addedCount: 0, goodCount };
  try {
    const earlier = await store.findImport(contentHash);
    if (earlier?.finishedAt && !again) {
      const day = earlier.finishedAt.toISOString().slice(0, 10);
      return `This file was imported into ${storeName} on ${day}: ${countOf(goodCount, 'pet')}. Nothing was added; --again adds them again.`;
    }
    if (earlier?.finishedAt) await store.forgetImport(contentHash);
    else counts.addedCount = earlier?.addedCount ?? 0;
    const addedBefore = counts.addedCount;
    if (addedBefore > 0) {
      report(`Continuing after the first ${countOf(addedBefore, 'pet')} of an earlier run.`);
    }
    const startedAt = performance.now();
    const newCategories = await addPets(source, contentHash, store, counts);
    await store.finishImport(contentHash, new Date());
    const seconds = (performance.now() - startedAt) / 1000;
    const added = `Added ${countOf(goodCount - addedBefore, 'pet')} to ${storeName} in ${seconds.toFixed(1)} s.`;
    return newCategories.length === 0 ? added : `${added} New categories: ${newCategories.join(', ')}.`;
  } catch (error) {
    throw asImportError(error, counts);
  }
}

/** Adds the rows that are missing in the store. Returns the numbers and names of new categories. */
async function addPets(
  source: PetSource,
  contentHash: string,
  store: ImportStore,
  counts: ImportCounts,
): Promise<string[]> {
  const largestId = source.keepsIds ? await store.largestId() : undefined;
  const addedBefore = counts.addedCount;
  using progress = reportProgress('added', counts.goodCount);
  progress.add(addedBefore);
  const newCategories: string[] = [];
  for await (const pets of batches(source, contentHash, counts)) {
    const firstId = pets[0]?.id;
    if (counts.addedCount === addedBefore && largestId && firstId && firstId <= largestId) {
      throw idsTaken(
        `The next id in the file is ${firstId}, but the store has ids up to ${largestId}.`,
        counts,
      );
    }
    const named = await store.addPets(pets, { source: contentHash, addedBefore: counts.addedCount });
    newCategories.push(...named.map(({ id, name }) => `${id} ${name}`));
    counts.addedCount += pets.length;
    progress.add(pets.length);
  }
  return newCategories;
}

/** Holds back the last batch until the whole input was read again and matches what was checked. */
async function* batches(
  source: PetSource,
  contentHash: string,
  counts: ImportCounts,
): AsyncGenerator<ImportedPet[]> {
  const content = createContentHash(source);
  const addedBefore = counts.addedCount;
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
      counts,
      'Run the same command again with the file as it was, or import the changed file into an empty store.',
    );
  }
  if (batch.length > 0) yield batch;
}

/** How many of the good rows are in the store. */
interface ImportCounts {
  addedCount: number;
  goodCount: number;
}

/** Does not suggest leaving out --keep-ids: that is another import, which adds the first pets a second time. */
function idsTaken(problem: string, counts: ImportCounts): OperatorError {
  return stopped(problem, counts, 'Import the file into an empty store that no service uses.');
}

function stopped(problem: string, counts: ImportCounts, remedy: string): OperatorError {
  const state = counts.addedCount === 0 ? 'Nothing was written.' : describeDone(counts);
  return new OperatorError(`${problem} ${state}`, remedy);
}

function describeDone({ addedCount, goodCount }: ImportCounts): string {
  return `${addedCount.toLocaleString('en')} of ${goodCount.toLocaleString('en')} pets are in the store.`;
}

function asImportError(error: unknown, counts: ImportCounts): unknown {
  if (error instanceof IdTakenError) return idsTaken('An id in the file has been taken meanwhile.', counts);
  if (error instanceof PetstoreError && error.code === 'idempotency_conflict') {
    return new OperatorError(
      'This file is already being imported by another process.',
      'Wait until it is done, then run this command again.',
    );
  }
  return asInterrupted('import', error, `${describeDone(counts)} Run the same command again to continue.`);
}
