import { type Command, Option } from 'commander';
import type { Category } from '../../domain/category.ts';
import { IdTakenError, OperatorError, PetstoreError, usageError } from '../../domain/error.ts';
import { type ImportedPet, petFields } from '../../domain/pet.ts';
import { type Encoding, encodings, type PetFormat, petFormats } from '../../formats/format.ts';
import { importBatchSize, type ImportStore } from '../../stores/bulk.ts';
import { refuseFileOfStore, storeAt } from '../../stores/open.ts';
import { audited, auditHelp, storeOptions } from '../audit.ts';
import { settings } from '../settings.ts';
import { asInterrupted, countOf, listOf, print, report } from '../terminal/output.ts';
import { interruption, reportProgress, watchForInterruption } from '../terminal/progress.ts';
import { addExamples } from '../terminal/usage.ts';
import {
  type CheckedInput,
  checkPets,
  createContentHash,
  openInput,
  openRejects,
  type PetSource,
  readRecords,
  sniff,
} from './input.ts';

interface ImportFlags {
  format?: PetFormat;
  encoding: Encoding;
  rejects?: string;
  keepIds?: boolean;
  again?: boolean;
  dryRun?: boolean;
  databaseUrl: string;
}

const columns = petFields.map(({ name, isOptional }) => (isOptional ? `optionally ${name}` : name));

export function define(command: Command): void {
  command
    .description(
      'Add the pets in a file to a store. The service may keep running. The store assigns the ids.\n\n' +
        'The whole file is checked before anything is written: if one row is bad, nothing is added, unless --rejects ' +
        'is given. If the import is interrupted, run the same command again: it continues. A file that was imported ' +
        'completely is not imported twice.',
    )
    .argument(
      '[file]',
      'One JSON object per line (NDJSON), a JSON array of up to 32 MiB, or CSV (commas, semicolons or tabs) with a header that names the columns ' +
        `${listOf(columns)}; category, a number or a name, may stand in place of categoryId; - is standard input.`,
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
    .option(
      '--rejects <file>',
      'Write the bad rows here, with line and problem, and add the others. For CSV, name a file that ends in .csv: ' +
        'import reads it again once it is corrected.',
    )
    .option('--keep-ids', 'Keep the ids in the file. They must ascend, and follow those in the store.')
    .option('--again', 'Add the pets again, although this file was imported before.')
    .option('--dry-run', 'Only check the file, and write nothing but the file of --rejects.')
    .addOption(settings.databaseUrl)
    .addHelpText('after', auditHelp)
    .action(importPets);
  addExamples(
    command,
    'petstore import pets.ndjson',
    'petstore import pets.csv --rejects bad-rows.csv',
    'zcat pets.gz | petstore import --database-url postgres://petstore@db/shop',
  );
}

async function importPets(path: string, flags: ImportFlags): Promise<void> {
  if (path === '-' && process.stdin.isTTY) {
    throw usageError('There is nothing to import.', 'Name a file: petstore import FILE');
  }
  for (const file of [path, flags.rejects ?? '-']) {
    if (file !== '-') refuseFileOfStore(flags.databaseUrl, file);
  }
  watchForInterruption();
  using input = await openInput(path);
  const { encoding, keepIds: keepsIds = false } = flags;
  const format = flags.format ?? (await sniff(input, encoding));
  const run = () => importSource({ input, format, encoding, keepsIds }, path, flags);
  if (flags.dryRun) await run();
  else await audited('import', flags.databaseUrl, { file: path }, run);
}

async function importSource(
  source: PetSource,
  path: string,
  { rejects, again = false, dryRun = false, databaseUrl }: ImportFlags,
): Promise<void> {
  using rejected = rejects === undefined ? undefined : openRejects(rejects, path, source.format);
  const checked = await checkPets(source, rejected);
  if (!checked) {
    report('Stopped before anything was written.');
    process.exitCode = interruption.exitStatus ?? 1;
    return;
  }
  const { goodCount, badCount } = checked;
  if (badCount > 0 && rejects === undefined) {
    const total = (goodCount + badCount).toLocaleString('en');
    throw new OperatorError(
      `${countOf(badCount, 'row')} of ${total} cannot be imported, so nothing was written.`,
      'Fix the file, or collect the bad rows with --rejects FILE.',
    );
  }
  const verb = badCount === 1 ? 'is' : 'are';
  const rest = badCount === 0 ? '' : ` ${countOf(badCount, 'bad row')} ${verb} in ${rejects}.`;
  if (dryRun) {
    print(`${countOf(goodCount, 'pet')} checked. Nothing was added.${rest}\n`);
    return;
  }
  const store = await storeAt(databaseUrl).openImport(storeOptions(databaseUrl));
  try {
    const result = await addOnce(source, checked, store, again, storeAt(databaseUrl).name);
    if (result !== undefined) print(`${result}${rest}\n`);
  } catch (error) {
    throw asInterrupted('import', error, 'Run the same command again to continue.');
  } finally {
    await store.close();
  }
}

/** Returns the sentence that describes the result; undefined if interrupted. */
async function addOnce(
  source: PetSource,
  checked: CheckedInput,
  store: ImportStore,
  again: boolean,
  storeName: string,
): Promise<string | undefined> {
  const { contentHash, goodCount } = checked;
  const earlier = await store.findImport(contentHash);
  if (earlier?.finishedAt && !again) {
    const day = earlier.finishedAt.toISOString().slice(0, 10);
    return `This file was imported into ${storeName} on ${day}: ${countOf(goodCount, 'pet')}. Nothing was added; --again adds them again.`;
  }
  if (earlier?.finishedAt) await store.forgetImport(contentHash);
  const addedBefore = earlier?.finishedAt ? 0 : (earlier?.addedCount ?? 0);
  if (addedBefore > 0) {
    report(`Continuing after the first ${countOf(addedBefore, 'pet')} of an earlier run.`);
  }
  const startedAt = performance.now();
  const { addedCount, newCategories } = await addPets(source, checked, store, addedBefore);
  if (addedCount < goodCount) {
    const done = describeDone({ addedCount, goodCount });
    report(`Stopped. ${done} Run the same command again to continue.`);
    process.exitCode = interruption.exitStatus ?? 1;
    return undefined;
  }
  await store.finishImport(contentHash, new Date());
  const seconds = (performance.now() - startedAt) / 1000;
  const added = `Added ${countOf(goodCount - addedBefore, 'pet')} to ${storeName} in ${seconds.toFixed(1)} s.`;
  const names = newCategories.map(({ id, name }) => `${id} ${name}`);
  return names.length === 0 ? added : `${added} New categories: ${names.join(', ')}.`;
}

/** Adds the good rows that are missing in the store. Fewer than all are in it afterwards if interrupted. */
async function addPets(
  source: PetSource,
  { contentHash, goodCount }: CheckedInput,
  store: ImportStore,
  addedBefore: number,
): Promise<{ addedCount: number; newCategories: Category[] }> {
  const largestId = source.keepsIds ? await store.largestId() : undefined;
  using progress = reportProgress('added', goodCount, addedBefore);
  const counts: ImportCounts = { addedCount: addedBefore, goodCount };
  const newCategories: Category[] = [];
  try {
    for await (const pets of batches(source, contentHash, counts)) {
      if (interruption.exitStatus !== undefined) break;
      if (counts.addedCount === addedBefore) refuseTakenIds(pets[0]?.id, largestId, counts);
      const step = { source: contentHash, addedBefore: counts.addedCount };
      newCategories.push(...(await store.addPets(pets, step)));
      counts.addedCount += pets.length;
      progress.add(pets.length);
    }
  } catch (error) {
    throw asImportError(error, counts);
  }
  return { addedCount: counts.addedCount, newCategories };
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

function refuseTakenIds(
  nextId: bigint | undefined,
  largestId: bigint | undefined,
  counts: ImportCounts,
): void {
  if (nextId === undefined || largestId === undefined || nextId > largestId) return;
  const verb = counts.addedCount === 0 ? 'begin' : 'continue';
  throw idsTaken(
    `The ids in the file ${verb} with ${nextId}, but the store has ids up to ${largestId}.`,
    counts,
  );
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
