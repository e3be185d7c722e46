import { isPetstoreError } from '../../../packages/client/src/index.ts';
import { OperatorError } from '../../domain/error.ts';
import { foldName } from '../../domain/fold.ts';
import type { NewPet } from '../../domain/pet.ts';
import { untilStopSignal } from '../../system/signals.ts';
import { type CalledService, forEachAtOnce, refusalOf } from '../service.ts';
import { countOf, print, report } from '../terminal/output.ts';
import { reportProgress } from '../terminal/progress.ts';
import { type CheckedFile, createRowReport, readSource, type Source } from './source.ts';

/** The service refuses one row with these. Any other error stops the import. */
const rowStatuses: unknown[] = [400, 413, 422];

/** A row as it is sent. Its idempotency key is the same in every run. */
interface SentRow {
  line: number;
  pet: NewPet;
  idempotencyKey: string;
}

/** Adds every pet that is not there already. `numbers` has the categories by their folded names. */
export async function sendPets(
  { client, address }: CalledService,
  source: Source,
  file: CheckedFile,
  numbers: ReadonlyMap<string, bigint>,
  keyName: string | undefined,
): Promise<void> {
  const total = countOf(file.petCount, 'pet');
  const resume = howToResume(keyName);
  report(`Adding ${total} to ${address}. If this stops: ${resume}`);
  let [added, replayed] = [0, 0];
  const describe = (): string => {
    const there = replayed > 0 ? ` ${replayed.toLocaleString('en')} were there already.` : '';
    return `Added ${added.toLocaleString('en')} of ${total} to ${address}.${there}`;
  };
  const refused = createRowReport();
  let refusedCount = 0;
  const progress = reportProgress('sent', file.petCount);
  try {
    await forEachAtOnce(rowsToSend(source, file, numbers), async ({ line, pet, idempotencyKey }) => {
      try {
        const created = await client.createPet(pet, { idempotencyKey });
        if (created.replayed) replayed += 1;
        else added += 1;
      } catch (error) {
        if (!isPetstoreError(error) || !rowStatuses.includes(error.status)) throw error;
        const isDifferent = error.code === 'idempotency_conflict';
        refused.add(line, isDifferent ? 'This pet is there already, but different.' : error.message);
      }
      progress.add(1);
    });
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${error.message} ${describe()}`, resume);
    throw refusalOf(error, `${describe()} ${resume}`);
  } finally {
    progress[Symbol.dispose]();
    refusedCount = refused.show();
  }
  if (refusedCount === 0) return print(`${describe()}\n`);
  throw new OperatorError(
    `${describe()} The service refused ${countOf(refusedCount, 'row')}.`,
    'Correct these rows in a file of their own, and import that: this file would be another import once it is changed.',
  );
}

/** Reads the file a second time. */
async function* rowsToSend(
  source: Source,
  { contentHash }: CheckedFile,
  numbers: ReadonlyMap<string, bigint>,
): AsyncGenerator<SentRow> {
  let signal: NodeJS.Signals | undefined;
  void untilStopSignal().then((received) => (signal = received));
  const changed = () => new OperatorError('The file is no longer as it was checked. Put it back as it was.');
  const { rows, hash } = readSource(source);
  let position = 0;
  for await (const { line, pet } of rows) {
    if (signal) throw new OperatorError(`Stopped by ${signal}.`);
    if (!pet) throw changed();
    const { category, ...fields } = pet;
    const categoryId = typeof category === 'bigint' ? category : numbers.get(foldName(category));
    if (categoryId === undefined) throw changed();
    yield { line, pet: { ...fields, categoryId }, idempotencyKey: `${contentHash}-${position++}` };
  }
  if (hash.digest('hex') !== contentHash) throw changed();
}

/** How long the service keeps an idempotency key. */
const weekMs = 7 * 86_400_000;

function howToResume(keyName: string | undefined): string {
  const until = new Date(Date.now() + weekMs).toISOString().slice(0, 16).replace('T', ' ');
  const key = keyName === undefined ? 'the same API key' : `the same API key (${keyName})`;
  return `Run it again with ${key} within a week of its first start, by ${until} UTC at the latest: it adds only what is missing.`;
}
