import { type Command, Option } from 'commander';
import { createCategory, isNotFound } from '../../../packages/client/src/index.ts';
import { OperatorError, usageError } from '../../domain/error.ts';
import { foldName, isSameName } from '../../domain/fold.ts';
import { petFields } from '../../domain/pet.ts';
import {
  addServiceOptions,
  type CalledService,
  checkWritingKey,
  refusalOf,
  type ServiceFlags,
  serviceOf,
} from '../service.ts';
import { listOf, report } from '../terminal/output.ts';
import { addExamples } from '../terminal/usage.ts';
import { encodings, openInputFile } from './file.ts';
import { sendPets } from './send.ts';
import { checkFile, formats, type Reading, sniff } from './source.ts';

type ImportFlags = ServiceFlags & Reading;

const columns = petFields.map(({ name, isOptional }) => (isOptional ? `optionally ${name}` : name));

export function define(command: Command): void {
  command
    .description(
      'Add the pets in a file, through a running service, which assigns the ids in the order of their arrival.\n\n' +
        'The whole file is checked before anything is sent: if one row is bad, nothing is added. If the import stops, ' +
        'run the same command again within a week, with the same API key: it adds only what is missing. So a file ' +
        'is not added twice within a week.',
    )
    .argument(
      '[file]',
      'One JSON object per line (NDJSON), or CSV (commas, semicolons or tabs) with a header that names the columns ' +
        `${listOf(columns)}; category, a number or a name, may stand in place of categoryId, which counts where a row has both; - is standard input.`,
      '-',
    )
    .addOption(
      new Option('--format <format>', 'Default: detected from the first character.').choices(formats),
    )
    .addOption(
      new Option('--encoding <encoding>', 'Older Excel saves windows-1252. UTF-16 is detected.')
        .choices(encodings)
        .default('utf-8'),
    )
    .action(importPets);
  addServiceOptions(command);
  addExamples(
    command,
    'petstore import pets.ndjson',
    'petstore import pets.csv --encoding windows-1252',
    'zcat pets.gz | petstore import --url https://pets.example',
  );
}

async function importPets(path: string, flags: ImportFlags): Promise<void> {
  if (path === '-' && process.stdin.isTTY) {
    throw usageError('There is nothing to import.', 'Name a file: petstore import FILE');
  }
  const service = serviceOf(flags);
  using input = await openInputFile(path);
  const key = await checkWritingKey(service);
  const source = await sniff(input, flags);
  const file = await checkFile(source);
  file.orders.show();
  const numbers = await numberCategories(service, file.categoryNames).catch((error: unknown) => {
    throw refusalOf(error, 'No pet was sent.');
  });
  await sendPets(service, source, file, numbers, key?.name);
}

/** Finds the number of each name, by its folded form; a name that no number has gets one. */
async function numberCategories(
  { client }: CalledService,
  names: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const numbers = new Map<string, bigint>();
  if (names.length === 0) return numbers;
  try {
    for await (const { id, name } of client.categories()) {
      const folded = foldName(name.trim());
      // Of several numbers with one name, the lowest.
      if (!numbers.has(folded)) numbers.set(folded, id);
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new OperatorError(
      'The file names categories, which this service does not serve (--stable-only). Nothing was sent.',
      'Write numbers, in the column categoryId.',
    );
  }
  for (const name of names) {
    const folded = foldName(name);
    if (numbers.has(folded)) continue;
    const { id } = await createCategory(client, name, { isSame: isSameName });
    numbers.set(folded, id);
    report(`New category: ${id} ${name}`);
  }
  return numbers;
}
