import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { isNotFound, type PetstoreClient } from '../../packages/client/src/index.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import { type Pet, petFields, renderPet } from '../domain/pet.ts';
import {
  attemptWrite,
  openOutputFile,
  outputFailed,
  partialForm,
  partialOf,
  removeLeftovers,
  syncPath,
} from '../system/files.ts';
import { addServiceOptions, checkKey, refusalOf, type ServiceFlags, serviceOf } from './service.ts';
import { countOf, print, printAsync } from './terminal/output.ts';
import { addExamples } from './terminal/usage.ts';

const formats = ['ndjson', 'csv'] as const;
type Format = (typeof formats)[number];

interface ExportFlags extends ServiceFlags {
  format?: Format;
  excel?: boolean;
  force?: boolean;
}

export function define(command: Command): void {
  command
    .description(
      'Write all pets of a service, in ascending order of id, to a file or to standard output.\n\n' +
        'petstore import reads such a file, but the service assigns new ids. Names are written as they are: a ' +
        'spreadsheet reads one that begins with = as a formula unless told to read text.',
    )
    .argument('[file]', 'Appears once it is complete; - is standard output.', '-')
    .addOption(
      new Option('--format <format>', 'Default: by the ending of the file; without one, ndjson.').choices(
        formats,
      ),
    )
    .option(
      '--excel',
      'Write CSV with a byte order mark and the separator that Excel expects: a semicolon where the locale (LC_ALL, ' +
        'LC_NUMERIC, LANG) writes 1,5, otherwise a comma.',
    )
    .option('--force', 'Replace the file if it exists.')
    .action(exportPets);
  addServiceOptions(command);
  addExamples(
    command,
    'petstore export pets.ndjson',
    'petstore export pets.csv --excel',
    'petstore export --url https://pets.example | gzip > pets.ndjson.gz',
  );
}

async function exportPets(path: string, flags: ExportFlags): Promise<void> {
  const { excel = false, force = false } = flags;
  const format = flags.format ?? (excel && extname(path) === '' ? 'csv' : formatOf(path));
  if (excel && format !== 'csv') throw usageError('--excel writes CSV.', 'Name a file that ends in .csv.');
  const service = serviceOf(flags);
  if (path !== '-' && !force && existsSync(path)) {
    throw new OperatorError(`${path} exists.`, 'Choose another file, or replace it with --force.');
  }
  await checkKey(service);
  try {
    const chunks = renderPets(
      service.client,
      format === 'csv' ? await csvWriter(service.client, excel) : ndjson,
    );
    if (path === '-') return await writeToStandardOutput(chunks);
    const count = await writeToFile(path, chunks);
    print(`Exported ${countOf(count, 'pet')} of ${service.address} to ${path}.\n`);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** A piece of the file. */
interface Chunk {
  text: string;
  petCount: number;
}

/** Renders pets as text; the joined pieces after `begin` are the file. */
interface PetWriter {
  begin: string;
  render: (pet: Pet) => string;
}

async function* renderPets(client: PetstoreClient, { begin, render }: PetWriter): AsyncGenerator<Chunk> {
  yield { text: begin, petCount: 0 };
  let page = await client.listPets({ limit: 100 });
  for (;;) {
    yield { text: page.pets.map(render).join(''), petCount: page.pets.length };
    if (page.next === undefined) return;
    page = await client.listPets({ next: page.next });
  }
}

const ndjson: PetWriter = { begin: '', render: (pet) => `${renderPet(pet.id, pet)}\n` };

/** Tells spreadsheets that the text is UTF-8. */
const byteOrderMark = '\ufeff';

async function csvWriter(client: PetstoreClient, excel: boolean): Promise<PetWriter> {
  const categoryNames = await readCategoryNames(client);
  const separator = excel ? excelSeparator() : ',';
  const lineOf = (cells: string[]): string => `${cells.map(csvCell).join(separator)}\r\n`;
  const fieldNames = petFields.map(({ name }) => name);
  return {
    begin: (excel ? byteOrderMark : '') + lineOf(['id', ...fieldNames, 'category']),
    render: (pet) =>
      lineOf([
        String(pet.id),
        ...fieldNames.map((name) => pet[name]?.toString() ?? ''),
        categoryNames.get(pet.categoryId) ?? '',
      ]),
  };
}

/** Quotes a text if any separator makes that necessary. */
function csvCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Empty for a service with `--stable-only`. */
async function readCategoryNames(client: PetstoreClient): Promise<Map<bigint, string>> {
  const names = new Map<bigint, string>();
  try {
    for await (const { id, name } of client.categories()) names.set(id, name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return names;
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

/** Writes under another name and renames the complete, synced file, so a partial file never looks complete. */
async function writeToFile(path: string, chunks: AsyncIterable<Chunk>): Promise<number> {
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
    return count;
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

function formatOf(path: string): Format {
  const ending = extname(path).toLowerCase();
  // Standard output, a pipe, or a file without an extension.
  if (ending === '') return 'ndjson';
  const format = formats.find((candidate) => `.${candidate}` === ending);
  if (format !== undefined) return format;
  throw usageError(
    `No format has the ending ${ending}.`,
    'Name a file that ends in .ndjson or .csv, or choose one of these formats with --format.',
  );
}
