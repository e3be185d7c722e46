import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { createCategory, isNotFound, isPetstoreError } from '../../../packages/client/src/index.ts';
import { OperatorError } from '../../domain/error.ts';
import { foldName, isSameName } from '../../domain/fold.ts';
import { type NewPet, petFields } from '../../domain/pet.ts';
import { attemptRead } from '../../system/files.ts';
import { reportProgress } from '../../system/progress.ts';
import {
  addServiceOptions,
  type CalledService,
  checkWritingKey,
  forEachAtOnce,
  refusalOf,
  type ServiceFlags,
  serviceOf,
} from '../service.ts';
import { countOf, listOf, print, report } from '../terminal/output.ts';
import { addExamples } from '../terminal/usage.ts';
import { readRows } from './rows.ts';

const columns = petFields.map(({ name, isOptional }) => (isOptional ? `optionally ${name}` : name));

export function define(command: Command): void {
  command
    .description(
      'Add the pets in a file through a running service, which assigns ids in the order in which they arrive.\n\n' +
        'The whole file is checked before anything is sent: if one row is bad, nothing is added. If the import stops, ' +
        'run the same command again within a week, with the same API key: it adds only what is missing. Within ' +
        'a week, a file is never added twice.',
    )
    .argument(
      '<file>',
      'UTF-8: one JSON object per line (NDJSON), or CSV (commas, semicolons or tabs) with a header that names the columns ' +
        `${listOf(columns)}. A column category, with numbers or names, may stand in place of categoryId.`,
    )
    .action(importPets);
  addServiceOptions(command);
  addExamples(command, 'petstore import pets.ndjson', 'petstore import pets.csv --url https://pets.example');
}

async function importPets(path: string, flags: ServiceFlags): Promise<void> {
  const service = serviceOf(flags);
  const stats = attemptRead(path, () => statSync(path));
  if (!stats.isFile()) throw new OperatorError(`${path} is not a file.`, 'Name a file, which is read twice.');
  await checkWritingKey(service);
  const file = await checkFile(path, stats.size);
  const numbers = await numberCategories(service, file.categoryNames).catch((error: unknown) => {
    throw refusalOf(error, 'No pet was sent.');
  });
  await sendPets(service, file, numbers);
}

interface CheckedFile {
  path: string;
  hash: string;
  petCount: number;
  /** One spelling of each. */
  categoryNames: string[];
}

/** Reads the whole file, and refuses it if a row is bad. */
async function checkFile(path: string, bytes: number): Promise<CheckedFile> {
  const hash = createHash('sha256');
  const bad = new BadRows();
  const names = new Map<string, string>();
  let petCount = 0;
  const progress = reportProgress('bytes checked', bytes);
  const rows = readRows(path, {
    onBytes(piece) {
      hash.update(piece);
      progress.add(piece.length);
    },
    onLeftOut: (titles) =>
      report(`Left out: ${titles.length === 1 ? 'the column' : 'the columns'} ${listOf(titles)}.`),
  });
  for await (const { line, pet, problem } of rows) {
    if (pet) petCount += 1;
    else bad.add(`line ${line}: ${problem}`);
    if (typeof pet?.category !== 'string') continue;
    const folded = foldName(pet.category);
    if (!names.has(folded)) names.set(folded, pet.category);
  }
  progress[Symbol.dispose]();
  if (bad.count === 0)
    return { path, hash: hash.digest('hex'), petCount, categoryNames: [...names.values()] };
  bad.report();
  throw new OperatorError(
    `${countOf(bad.count, 'row')} of ${(petCount + bad.count).toLocaleString('en')} cannot be imported, so nothing was sent.`,
    'Fix the file, and import it again.',
  );
}

const maxReported = 100;

/** Counts the rows that cannot be imported, and keeps the first hundred problems: a huge file may have no other rows. */
class BadRows {
  count = 0;
  readonly #problems: string[] = [];

  add(problem: string): void {
    this.count += 1;
    if (this.count <= maxReported) this.#problems.push(problem);
  }

  report(): void {
    for (const problem of this.#problems) report(problem);
    const more = this.count - this.#problems.length;
    if (more > 0) report(`… and ${more.toLocaleString('en')} more.`);
  }
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
      // If several numbers have one name, the lowest counts.
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

/** The service refuses one row with these. Any other error stops the import. */
const rowStatuses: unknown[] = [400, 413, 422];
const resume =
  'To continue, run it again with the same API key within a week of its first start: it adds only what is missing.';

/** Adds every pet that is not there already. `numbers` has the categories by their folded names. */
async function sendPets(
  { client, address }: CalledService,
  file: CheckedFile,
  numbers: ReadonlyMap<string, bigint>,
): Promise<void> {
  const total = countOf(file.petCount, 'pet');
  report(`Adding ${total} to ${address}. ${resume}`);
  let [added, replayed] = [0, 0];
  const describe = (): string => {
    const there = replayed > 0 ? ` ${replayed.toLocaleString('en')} were there already.` : '';
    return `Added ${added.toLocaleString('en')} of ${total} to ${address}.${there}`;
  };
  const refused = new BadRows();
  const progress = reportProgress('sent', file.petCount);
  try {
    await forEachAtOnce(rowsToSend(file, numbers), async ({ line, pet, idempotencyKey }) => {
      try {
        const response = await client.createPet(pet, { idempotencyKey });
        if (response.replayed) replayed += 1;
        else added += 1;
      } catch (error) {
        if (!isPetstoreError(error) || !rowStatuses.includes(error.status)) throw error;
        const isDifferent = error.code === 'idempotency_conflict';
        refused.add(
          `line ${line}: ${isDifferent ? 'This pet was imported before, with other values.' : error.message}`,
        );
      }
      progress.add(1);
    });
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${error.message} ${describe()}`, resume);
    throw refusalOf(error, `${describe()} ${resume}`);
  } finally {
    progress[Symbol.dispose]();
    refused.report();
  }
  if (refused.count === 0) return print(`${describe()}\n`);
  throw new OperatorError(
    `${describe()} The service refused ${countOf(refused.count, 'row')}.`,
    'Copy the corrected rows to a new file and import that: a changed file counts as a new import.',
  );
}

/** A row as it is sent. Its idempotency key is the same in every run. */
interface SentRow {
  line: number;
  pet: NewPet;
  idempotencyKey: string;
}

/** Reads the file a second time. */
async function* rowsToSend(
  { path, hash: checkedHash }: CheckedFile,
  numbers: ReadonlyMap<string, bigint>,
): AsyncGenerator<SentRow> {
  const changed = () =>
    new OperatorError('The file has changed since it was checked. Restore it, and run the command again.');
  const hash = createHash('sha256');
  let position = 0;
  for await (const { line, pet } of readRows(path, { onBytes: (piece) => hash.update(piece) })) {
    if (!pet) throw changed();
    const { category, ...fields } = pet;
    const categoryId = typeof category === 'bigint' ? category : numbers.get(foldName(category));
    if (categoryId === undefined) throw changed();
    yield { line, pet: { ...fields, categoryId }, idempotencyKey: `${checkedHash}-${position++}` };
  }
  if (hash.digest('hex') !== checkedHash) throw changed();
}
