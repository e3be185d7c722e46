import { closeSync, existsSync, fsyncSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { extname } from 'node:path';
import { readAll, type BulkStore } from '../bulk-store.ts';
import { OperatorError, PetstoreError, usageError } from '../error.ts';
import { choiceOf, readArguments } from './arguments.ts';
import { databaseUrlOf, settings } from './config.ts';
import { watchForInterruption, type Interruption } from './terminal/interruption.ts';
import { print, reasonOf } from './terminal/output.ts';
import { createPetWriter, petFormats, type PetFormat } from '../formats/format.ts';
import { showProgress } from './terminal/progress.ts';
import { openStandardOutput, type Sink } from './terminal/sink.ts';
import { openBulkStore, refuseFileOfStore } from '../stores.ts';
import { writeAll } from './write-all.ts';

const help = `Write all pets of a store, in ascending order of id, to a file or to standard output. The service may run.

petstore import reads it back: into an empty store, with --keep-ids, it makes the very same pets again. Names are
written as they are: a spreadsheet takes one that begins with = for a formula, unless it is told to read text.

Usage: petstore export [FILE] [options]

Options:
  FILE                  Appears when it is whole. Without FILE, or with -, standard output.
  --format FORMAT       ${petFormats.join(', ')}. Default: by the ending of FILE; without one, ndjson.
  --force               Replace FILE if it exists.
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore export pets.ndjson
  petstore export pets.csv
  petstore export --format json | gzip > pets.json.gz
`;

export const options = {
  format: { type: 'string' },
  force: { type: 'boolean' },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const batchSize = 5000;

export async function exportPets(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('export', args, { options, allowPositionals: true });
  if (values.help) return print(help);
  const [path = '-', ...others] = positionals;
  if (others.length > 0) throw usageError('One file at a time: petstore export FILE');
  const format =
    values.format === undefined ? formatOf(path) : choiceOf('--format', values.format, petFormats);
  const databaseUrl = databaseUrlOf(values['database-url'], process.env);
  if (path !== '-') refuseFileOfStore(databaseUrl, path);
  if (path !== '-' && !values.force && existsSync(path)) {
    throw new OperatorError(`${path} exists. Choose another file, or replace it with --force.`);
  }
  using interruption = watchForInterruption();
  const store = await openBulkStore(databaseUrl, false);
  try {
    if (path !== '-') return await exportToFile(store, path, format, interruption);
    await writePets(store, format, openStandardOutput(), interruption);
    return interruption.exitStatus ?? 0;
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(`The export was interrupted: ${reasonOf(error)}. Run the same command again.`);
  } finally {
    await store.close();
  }
}

/** Written beside its place and moved there when it is whole and on disk: half a file never looks like a whole one. */
async function exportToFile(
  store: BulkStore,
  path: string,
  format: PetFormat,
  interruption: Interruption,
): Promise<number> {
  const partial = `${path}.${process.pid}.partial`;
  const descriptor = attempt(path, () => openSync(partial, 'wx', 0o600));
  try {
    const count = await writePets(store, format, sinkOf(descriptor, path), interruption);
    if (interruption.exitStatus !== undefined) {
      process.stderr.write('Stopped. Nothing was exported.\n');
      return interruption.exitStatus;
    }
    attempt(path, () => {
      fsyncSync(descriptor);
      renameSync(partial, path);
    });
    return print(`Exported ${count.toLocaleString('en')} pets to ${path}.\n`);
  } finally {
    closeSync(descriptor);
    if (existsSync(partial)) unlinkSync(partial);
  }
}

async function writePets(
  store: BulkStore,
  format: PetFormat,
  sink: Sink,
  interruption: Interruption,
): Promise<number> {
  const writer = createPetWriter(format);
  using progress = showProgress('exported', await store.pets.count(), process.stderr);
  let count = 0;
  let isWanted = await sink.write(writer.begin);
  for await (const pets of readAll(store.pets, { batchSize })) {
    if (!isWanted || interruption.exitStatus !== undefined) break;
    isWanted = await sink.write(writer.render(pets));
    count += pets.length;
    progress.add(pets.length);
    // Only between two turns of the event loop can a signal arrive.
    await new Promise(setImmediate);
  }
  if (isWanted && interruption.exitStatus === undefined) await sink.write(writer.end());
  return count;
}

function sinkOf(descriptor: number, path: string): Sink {
  return {
    async write(text) {
      attempt(path, () => writeAll(descriptor, text));
      return true;
    },
  };
}

function formatOf(path: string): PetFormat {
  const ending = extname(path).toLowerCase();
  // Standard output, a pipe, or a file whose name promises nothing.
  if (ending === '') return 'ndjson';
  const format = petFormats.find((candidate) => `.${candidate}` === ending);
  if (format !== undefined) return format;
  throw usageError(
    `No format has the ending ${ending}. ` +
      'Name a file that ends in .ndjson, .json or .csv, or choose one of these formats with --format.',
  );
}

function attempt<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file ${path} cannot be written (${code}). Check its folder, rights and room.`,
    );
  }
}
