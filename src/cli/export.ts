import { Option, type Command } from 'commander';
import { isNotFound, type PetstoreClient } from '../../packages/client/src/index.ts';
import { type Pet, petFields, renderPet } from '../domain/pet.ts';
import { outputFailed } from '../system/files.ts';
import { addServiceOptions, checkKey, refusalOf, type ServiceFlags, serviceOf } from './service.ts';
import { countOf, printAsync, report } from './terminal/output.ts';
import { addExamples } from './terminal/usage.ts';

type Delimiter = ',' | ';';

interface ExportFlags extends ServiceFlags {
  csv?: boolean;
  excel?: Delimiter;
}

export function define(command: Command): void {
  command
    .description(
      'Write all pets of a service to standard output, in ascending order of id, as NDJSON or CSV. The output is ' +
        'complete if the exit status is 0 and its reader has read all of it.\n\n' +
        'petstore import reads it, but the service assigns new ids. Names are written as they are: a spreadsheet ' +
        'reads one that begins with = as a formula unless told to read text.',
    )
    .option('--csv', 'Write CSV instead of NDJSON, with the names of categories.')
    .addOption(
      new Option(
        '--excel <delimiter>',
        'Write CSV that Excel opens, with a byte order mark: a semicolon where it writes 1,5, otherwise a comma.',
      ).choices([',', ';']),
    )
    .action(exportPets);
  addServiceOptions(command);
  addExamples(
    command,
    'petstore export > pets.ndjson',
    "petstore export --excel ';' > pets.csv",
    'petstore export --url https://pets.example | gzip > pets.ndjson.gz',
  );
}

async function exportPets({ csv, excel, ...flags }: ExportFlags): Promise<void> {
  const service = serviceOf(flags);
  await checkKey(service);
  const { client, address } = service;
  try {
    const format = csv || excel ? await csvFormat(client, excel ?? ',', excel !== undefined) : ndjson;
    const count = await writePets(client, format);
    report(`Exported ${countOf(count, 'pet')} of ${address}.`);
  } catch (error) {
    // The reader is gone, as after `| head`.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw refusalOf(error);
  }
}

interface Format {
  begin: string;
  render: (pet: Pet) => string;
}

async function writePets(client: PetstoreClient, { begin, render }: Format): Promise<number> {
  let count = 0;
  await write(begin);
  for (
    let page = await client.listPets({ limit: 100 });
    ;
    page = await client.listPets({ next: page.next })
  ) {
    await write(page.pets.map(render).join(''));
    count += page.pets.length;
    if (page.next === undefined) return count;
  }
}

async function write(text: string): Promise<void> {
  try {
    await printAsync(text);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EPIPE' ? error : outputFailed(error);
  }
}

const ndjson: Format = { begin: '', render: (pet) => `${renderPet(pet.id, pet)}\n` };

/** Tells spreadsheets that the text is UTF-8. */
const byteOrderMark = '\ufeff';

async function csvFormat(client: PetstoreClient, delimiter: Delimiter, isMarked: boolean): Promise<Format> {
  const categoryNames = await readCategoryNames(client);
  const lineOf = (cells: string[]): string => `${cells.map(csvCell).join(delimiter)}\r\n`;
  const fieldNames = petFields.map(({ name }) => name);
  return {
    begin: (isMarked ? byteOrderMark : '') + lineOf(['id', ...fieldNames, 'category']),
    render: (pet) =>
      lineOf([
        String(pet.id),
        ...fieldNames.map((name) => pet[name]?.toString() ?? ''),
        categoryNames.get(pet.categoryId) ?? '',
      ]),
  };
}

/** Quotes a text if any delimiter makes that necessary. */
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
