import { OperatorError, PetstoreError, usageError } from '../../error.ts';
import { choiceOf, readArguments } from '../arguments.ts';
import { databaseUrlOf, settings } from '../config.ts';
import { addPets, ImportFailure } from './add.ts';
import { checkPets, sniff, type CheckedInput } from './check.ts';
import { openRejects } from './rejects.ts';
import { openInput, type Input } from './input.ts';
import { watchForInterruption, type Interruption } from '../terminal/interruption.ts';
import { print, reasonOf } from '../terminal/output.ts';
import { petFormats } from '../../formats/format.ts';
import { openImportStore, refuseFileOfStore } from '../../stores.ts';

const help = `Add the pets of a file to a store, past the service, which may be running. The store assigns the ids.

Everything is checked before anything is written: one bad row, and nothing is added, unless --rejects is given. After
an interruption of any kind, run the same command again: it goes on where it was. A file that was imported whole is
not imported twice.

Usage: petstore import [FILE] [options]

Options:
  FILE                  One JSON object per line (NDJSON), a JSON array, or CSV with a header that names the columns
                        name, categoryId and, if there is one, status. Without FILE, or with -, standard input.
  --format FORMAT       ${petFormats.join(', ')}. Default: told from the beginning of the file.
  --rejects FILE        Write the bad rows here, with their lines and what is wrong, and add the others.
  --keep-ids            Keep the ids of the file. They must ascend, and come after those in the store.
  --again               Add the pets once more, though this file was imported before.
  --database-url PLACE  ${settings.databaseUrl.help} (DATABASE_URL)
                        Default: ${settings.databaseUrl.fallback}

Examples:
  petstore import pets.ndjson
  petstore import pets.csv --rejects bad-rows.ndjson
  zcat pets.json.gz | petstore import --database-url postgres://petstore@db.example/shop
`;

export const options = {
  format: { type: 'string' },
  rejects: { type: 'string' },
  'keep-ids': { type: 'boolean' },
  again: { type: 'boolean' },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface ImportRequest {
  path: string;
  format: (typeof petFormats)[number] | undefined;
  rejects: string | undefined;
  keepsIds: boolean;
  again: boolean;
  databaseUrl: string;
}

export async function importPets(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('import', args, { options, allowPositionals: true });
  if (values.help) return print(help);
  const [path = '-', ...others] = positionals;
  if (others.length > 0) throw usageError('One file at a time: petstore import FILE');
  if (path === '-' && process.stdin.isTTY) throw usageError('Say what to import: petstore import FILE');
  const request: ImportRequest = {
    path,
    format: values.format === undefined ? undefined : choiceOf('--format', values.format, petFormats),
    rejects: values.rejects,
    keepsIds: values['keep-ids'] ?? false,
    again: values.again ?? false,
    databaseUrl: databaseUrlOf(values['database-url'], process.env),
  };
  for (const file of [path, request.rejects ?? '-']) {
    if (file !== '-') refuseFileOfStore(request.databaseUrl, file);
  }
  using interruption = watchForInterruption();
  const input = await openInput(path);
  try {
    return await run(request, input, interruption);
  } finally {
    input.close();
  }
}

async function run(request: ImportRequest, input: Input, interruption: Interruption): Promise<number> {
  const { rejects: rejectsPath, keepsIds } = request;
  const format = request.format ?? (await sniff(input));
  const rejects = rejectsPath === undefined ? undefined : openRejects(rejectsPath, request.path);
  let checked: CheckedInput | undefined;
  try {
    checked = await checkPets({ input, format, keepsIds, rejects, interruption });
  } finally {
    rejects?.close();
  }
  if (!checked) {
    process.stderr.write('Stopped before anything was written.\n');
    return interruption.exitStatus ?? 1;
  }
  if (checked.badCount > 0 && rejectsPath === undefined) {
    const rows = checked.goodCount + checked.badCount;
    throw new OperatorError(
      `${count(checked.badCount, 'row')} of ${rows.toLocaleString('en')} cannot be imported, so nothing was written. ` +
        'Fix the file, or collect them with --rejects FILE.',
    );
  }
  const store = await openImportStore(request.databaseUrl);
  try {
    return await add(request, { ...checked, input, format }, store, interruption);
  } catch (error) {
    throw asOperatorError(error);
  } finally {
    await store.close();
  }
}

type OpenStore = Awaited<ReturnType<typeof openImportStore>>;
type Addition = CheckedInput & { input: Input; format: (typeof petFormats)[number] };

async function add(
  request: ImportRequest,
  addition: Addition,
  store: OpenStore,
  interruption: Interruption,
): Promise<number> {
  const { source, goodCount, badCount } = addition;
  const rejected =
    badCount === 0
      ? ''
      : ` ${count(badCount, 'bad row')} ${badCount === 1 ? 'is' : 'are'} in ${request.rejects}.`;
  const earlier = await store.findImport(source);
  if (earlier?.finishedAt && !request.again) {
    const day = earlier.finishedAt.toISOString().slice(0, 10);
    return print(
      `This was imported on ${day}: ${count(goodCount, 'pet')}. Nothing was added; --again adds them once more.${rejected}\n`,
    );
  }
  if (earlier?.finishedAt) await store.forgetImport(source);
  const addedBefore = earlier?.finishedAt ? 0 : (earlier?.addedCount ?? 0);
  if (addedBefore > 0) {
    process.stderr.write(`Going on after the first ${count(addedBefore, 'pet')} of an earlier run.\n`);
  }
  const startedAt = performance.now();
  const { addedCount } = await addPets({
    ...addition,
    keepsIds: request.keepsIds,
    store,
    addedBefore,
    interruption,
  });
  if (addedCount < goodCount) {
    process.stderr.write(
      `Stopped. ${addedCount.toLocaleString('en')} of ${count(goodCount, 'pet')} are in the store. ` +
        'Run the same command again to go on.\n',
    );
    return interruption.exitStatus ?? 1;
  }
  await store.finishImport(source, new Date());
  const seconds = (performance.now() - startedAt) / 1000;
  return print(`Added ${count(goodCount - addedBefore, 'pet')} in ${seconds.toFixed(1)} s.${rejected}\n`);
}

function asOperatorError(error: unknown): unknown {
  if (error instanceof ImportFailure) return new OperatorError(error.message);
  if (!(error instanceof PetstoreError)) return error;
  return new OperatorError(
    `The import was interrupted: ${reasonOf(error)}. Run the same command again to go on.`,
  );
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}
