import { createHash } from 'node:crypto';
import { readAll, type BulkStore, type BulkTable } from '../bulk-store.ts';
import { OperatorError, PetstoreError, usageError } from '../error.ts';
import { noProgress, type Progress } from '../progress.ts';
import { readArguments } from './arguments.ts';
import { print, reasonOf } from './terminal/output.ts';
import { showProgress } from './terminal/progress.ts';
import { isSameStore, openBulkStore } from '../stores.ts';

const help = `Copy a whole store to another place: pets with their ids, API keys, idempotency keys, and how far imports
have come. Stop the services of both stores first. After an interruption, run the same command again: it goes on
where it was.

Usage: petstore copy --from PLACE --to PLACE

Options:
  --from PLACE          The store to read; it is not changed.
  --to PLACE            The store to write: new, empty, or begun by an earlier run of the same copy.

Examples:
  petstore copy --from data/petstore.db --to postgres://petstore@db.example/shop
  petstore copy --from postgres://petstore@db.example/shop --to /var/lib/petstore/petstore.db
`;

export const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Keys come last: nobody can call a store that is only half there. */
const tables = [
  { name: 'pets', of: (store: BulkStore) => store.pets as BulkTable<unknown> },
  { name: 'idempotency keys', of: (store: BulkStore) => store.idempotencyRecords as BulkTable<unknown> },
  { name: 'imports', of: (store: BulkStore) => store.imports as BulkTable<unknown> },
  { name: 'API keys', of: (store: BulkStore) => store.keys as BulkTable<unknown> },
];

export async function copy(args: string[]): Promise<number> {
  const { from, to, help: wantsHelp } = readArguments('copy', args, { options }).values;
  if (wantsHelp) return print(help);
  if (!from || !to) throw usageError('Say what to copy and where: petstore copy --from PLACE --to PLACE');
  if (isSameStore(from, to))
    throw usageError('--from and --to name the same store. Choose another place with --to.');
  const source = await openBulkStore(from, false);
  try {
    const target = await openBulkStore(to, true);
    try {
      return await copyAll(source, target);
    } finally {
      await target.close();
    }
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(
      `The copy was interrupted: ${reasonOf(error)}. Run the same command again to go on.`,
    );
  } finally {
    await source.close();
  }
}

async function copyAll(source: BulkStore, target: BulkStore): Promise<number> {
  // Before anything is written, everything that is there is compared.
  const copied = await compareBeginnings(source, target);
  for (const [index, { name, of }] of tables.entries()) {
    await copyRest({ name, source: of(source), target: of(target), done: copied[index] ?? nothing });
  }
  const summaries = await verifyAll(source, target);
  return print(`Copied and compared: ${summaries.join(', ')}. Both stores are the same.\n`);
}

async function compareBeginnings(source: BulkStore, target: BulkStore): Promise<Beginning[]> {
  using progress = await showComparing(target);
  const beginnings = [];
  for (const { name, of } of tables) {
    beginnings.push(await compareBeginning(name, of(source), of(target), progress));
  }
  return beginnings;
}

async function verifyAll(source: BulkStore, target: BulkStore): Promise<string[]> {
  using progress = await showComparing(target);
  const summaries = [];
  for (const { name, of } of tables) summaries.push(await verify(name, of(source), of(target), progress));
  return summaries;
}

/** To read both stores row by row takes as long as to copy them. */
async function showComparing(store: BulkStore): Promise<Progress> {
  const counts = await Promise.all(tables.map(({ of }) => of(store).count()));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total === 0 ? noProgress : showProgress('rows compared', total, process.stderr);
}

interface Beginning {
  count: number;
  last: unknown;
}

const nothing: Beginning = { count: 0, last: undefined };

/** What the target holds must be the beginning of what the source holds; then a copy can go on behind it. */
async function compareBeginning(
  name: string,
  source: BulkTable<unknown>,
  target: BulkTable<unknown>,
  progress: Progress,
): Promise<Beginning> {
  let { count, last } = nothing;
  for await (const found of readAll(target)) {
    const expected = await source.read(last, found.length);
    if (linesOf(expected) !== linesOf(found)) {
      throw new OperatorError(
        `The target holds other ${name}. Nothing was written. Choose an empty place with --to.`,
      );
    }
    count += found.length;
    last = found.at(-1);
    progress.add(found.length);
  }
  return { count, last };
}

interface Copying {
  name: string;
  source: BulkTable<unknown>;
  target: BulkTable<unknown>;
  done: Beginning;
}

async function copyRest({ name, source, target, done }: Copying): Promise<void> {
  const total = await source.count();
  using progress = showProgress(name, total, process.stderr, { done: done.count });
  for await (const rows of readAll(source, { after: done.last })) {
    await target.write(rows);
    progress.add(rows.length);
  }
}

/** Reads both stores again, whole. */
async function verify(
  name: string,
  source: BulkTable<unknown>,
  target: BulkTable<unknown>,
  progress: Progress,
): Promise<string> {
  const [expected, found] = await Promise.all([summarize(source), summarize(target, progress)]);
  if (expected.count !== found.count || expected.checksum !== found.checksum) {
    throw new OperatorError(
      `The ${name} differ after the copy: ${expected.count} there, ${found.count} here. ` +
        'Is a service writing to one of the stores? Stop it and run the same command again.',
    );
  }
  return `${found.count.toLocaleString('en')} ${name} (${found.checksum.slice(0, 12)})`;
}

async function summarize(
  table: BulkTable<unknown>,
  progress = noProgress,
): Promise<{ count: number; checksum: string }> {
  const sum = createHash('sha256');
  let count = 0;
  for await (const rows of readAll(table)) {
    sum.update(linesOf(rows));
    count += rows.length;
    progress.add(rows.length);
  }
  return { count, checksum: sum.digest('hex') };
}

/** One line per row, the same for the same row whatever store it came from. */
function linesOf(rows: unknown[]): string {
  const text = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return rows.map((row) => `${JSON.stringify(row, text)}\n`).join('');
}
