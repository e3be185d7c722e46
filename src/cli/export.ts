import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { readAll, type BulkStore } from '../stores/bulk.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import type { ExcelOptions } from '../formats/csv.ts';
import { createPetWriter, petFormats, type PetFormat, type PetWriter } from '../formats/format.ts';
import { storeAt, refuseFileOfStore } from '../stores/open.ts';
import {
  attemptWrite,
  openOutputFile,
  outputFailed,
  partialForm,
  partialOf,
  removeLeftovers,
  syncPath,
} from '../system/files.ts';
import { settings } from './settings.ts';
import { addExamples } from './terminal/usage.ts';
import { reportProgress } from './terminal/progress.ts';
import { asInterrupted, countOf, reportStore, print, printAsync } from './terminal/output.ts';

interface ExportFlags {
  format?: PetFormat;
  excel?: boolean;
  force?: boolean;
  databaseUrl: string;
}

export function define(command: Command): void {
  command
    .description(
      'Write all pets of a store, in ascending order of id, to a file or to standard output. The service may keep ' +
        'running.\n\n' +
        'petstore import --keep-ids into an empty store restores exactly the same pets. Names are written as they ' +
        'are: a spreadsheet reads one that begins with = as a formula unless told to read text.',
    )
    .argument('[file]', 'Appears once it is complete; - is standard output.', '-')
    .addOption(
      new Option('--format <format>', 'Default: by the ending of the file; without one, ndjson.').choices(
        petFormats,
      ),
    )
    .option(
      '--excel',
      'Write CSV with a byte order mark, the names of categories, and the separator that Excel expects: a semicolon ' +
        'where the locale (LC_ALL, LC_NUMERIC, LANG) writes 1,5, otherwise a comma.',
    )
    .option('--force', 'Replace the file if it exists.')
    .addOption(settings.databaseUrl)
    .action(exportPets);
  addExamples(
    command,
    'petstore export pets.ndjson',
    'petstore export pets.csv --excel',
    'petstore export | gzip > pets.ndjson.gz',
  );
}

async function exportPets(path: string, flags: ExportFlags): Promise<void> {
  const { excel = false, force = false, databaseUrl } = flags;
  const format = flags.format ?? (excel && extname(path) === '' ? 'csv' : formatOf(path));
  if (excel && format !== 'csv') throw usageError('--excel writes CSV.', 'Name a file that ends in .csv.');
  if (path !== '-') refuseFileOfStore(databaseUrl, path);
  if (path !== '-' && !force && existsSync(path)) {
    throw new OperatorError(`${path} exists.`, 'Choose another file, or replace it with --force.');
  }
  const store = await storeAt(databaseUrl).openBulk({ environment: process.env, mayCreate: false });
  try {
    const writer = createPetWriter(format, excel ? await excelOptions(store) : undefined);
    const chunks = renderPets(store, writer);
    await (path === '-' ? writeToStandardOutput(chunks) : writeToFile(path, chunks, databaseUrl));
    if (path === '-') reportStore(databaseUrl);
  } catch (error) {
    throw asInterrupted('export', error, 'Run the same command again.');
  } finally {
    await store.close();
  }
}

/** A piece of the file. */
interface Chunk {
  text: string;
  petCount: number;
}

async function* renderPets(store: BulkStore, writer: PetWriter): AsyncGenerator<Chunk> {
  using progress = reportProgress('exported', await store.pets.count());
  yield { text: writer.begin, petCount: 0 };
  for await (const pets of readAll(store.pets)) {
    yield { text: writer.render(pets), petCount: pets.length };
    progress.add(pets.length);
  }
}

/** Writes under another name and renames the complete, synced file, so a partial file never looks complete. */
async function writeToFile(path: string, chunks: AsyncIterable<Chunk>, databaseUrl: string): Promise<void> {
  attemptWrite(path, () => removeLeftovers(path, partialForm));
  const partial = partialOf(path);
  using file = openOutputFile(partial, 'wx', path);
  try {
    let count = 0;
    for await (const { text, petCount } of chunks) {
      file.write(text);
      count += petCount;
    }
    file.sync();
    attemptWrite(path, () => {
      renameSync(partial, path);
      syncPath(dirname(resolve(path)));
    });
    print(`Exported ${countOf(count, 'pet')} of ${storeAt(databaseUrl).name} to ${path}.\n`);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function writeToStandardOutput(chunks: AsyncIterable<Chunk>): Promise<void> {
  for await (const { text } of chunks) {
    try {
      await printAsync(text);
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      // The reader is gone, as after `| head`.
      if (failure.code === 'EPIPE') return;
      throw outputFailed(failure);
    }
  }
}

async function excelOptions(store: BulkStore): Promise<ExcelOptions> {
  const categoryNames = new Map<bigint, string>();
  for await (const categories of readAll(store.categories))
    for (const { id, name } of categories) categoryNames.set(id, name);
  return { separator: excelSeparator(), categoryNames };
}

/** Excel expects semicolons in locales where the comma is the decimal sign. */
function excelSeparator(): string {
  const locale = process.env['LC_ALL'] || process.env['LC_NUMERIC'] || process.env['LANG'] || 'C';
  try {
    const [language = ''] = locale.split(/[.@]/);
    return new Intl.NumberFormat(language.replace('_', '-')).format(1.5).includes(',') ? ';' : ',';
  } catch {
    // The locale C names no language.
    return ',';
  }
}

function formatOf(path: string): PetFormat {
  const ending = extname(path).toLowerCase();
  // Standard output, a pipe, or a file without an extension.
  if (ending === '') return 'ndjson';
  const format = petFormats.find((candidate) => `.${candidate}` === ending);
  if (format !== undefined) return format;
  throw usageError(
    `No format has the ending ${ending}.`,
    'Name a file that ends in .ndjson or .csv, or choose one of these formats with --format.',
  );
}
