import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { readAll, type BulkStore, type BulkTable } from '../stores/bulk.ts';
import { OperatorError, usageError } from '../domain/error.ts';
import { isSameStore, storeAt } from '../stores/open.ts';
import { withStore } from './store.ts';
import { addExamples } from './terminal/usage.ts';
import { asInterrupted, print } from './terminal/output.ts';
import { reportProgress } from './terminal/progress.ts';

export function define(command: Command): void {
  command
    .description(
      'Copy a whole store: pets and orders with their ids, categories, API keys and idempotency keys. Stop the services ' +
        'of both stores first. If the copy is interrupted, empty the target and run the same command again.',
    )
    .requiredOption('--from <address>', 'The store to read. It is not changed.')
    .requiredOption('--to <address>', 'The store to write: new or empty.')
    .action(copy);
  addExamples(
    command,
    'petstore copy --from data/petstore.db --to postgres://petstore@localhost/shop',
    'petstore copy --from postgres://petstore@localhost/shop --to data/petstore.db',
  );
}

/** Keys come last, so that nobody can use a partial copy. */
const tables = [
  ['pets', 'pets'],
  ['orders', 'orders'],
  ['categories', 'categories'],
  ['idempotency keys', 'idempotencyRecords'],
  ['API keys', 'keys'],
] as const;

interface TablePair {
  name: string;
  source: BulkTable<unknown>;
  target: BulkTable<unknown>;
}

async function copy({ from, to }: Record<'from' | 'to', string>): Promise<void> {
  if (isSameStore(from, to)) throw usageError('--from and --to name the same store.', 'Choose another --to.');
  await withBulk(from, false, async (source) => {
    try {
      const summary = await withBulk(to, true, (target) => copyAll(source, target));
      print(`Copied and compared: ${summary}. ${storeAt(from).name} and ${storeAt(to).name} are the same.\n`);
    } catch (error) {
      throw asInterrupted('copy', error, 'Empty the target and run the same command again.');
    }
  });
}

function withBulk<Result>(
  databaseUrl: string,
  mayCreate: boolean,
  use: (store: BulkStore) => Promise<Result>,
): Promise<Result> {
  return withStore(databaseUrl, (place, options) => place.openBulk({ ...options, mayCreate }), use);
}

async function copyAll(source: BulkStore, target: BulkStore): Promise<string> {
  const pairs: TablePair[] = tables.map(([name, table]) => ({
    name,
    source: source[table],
    target: target[table],
  }));
  for (const pair of pairs) await refuseFilled(pair);
  // The newest pets may have been deleted: their ids must not be reused, not even in a copy that is interrupted.
  const lastIds = await source.lastIds();
  await target.raiseLastIds(lastIds);
  for (const pair of pairs) await copyTable(pair);
  await target.raiseLastIds(lastIds);
  await target.beginLog();
  const summaries: string[] = [];
  for (const pair of pairs) summaries.push(await compare(pair));
  return summaries.join(', ');
}

async function refuseFilled({ name, target }: TablePair): Promise<void> {
  if ((await target.count()) === 0) return;
  throw new OperatorError(
    `The target already holds ${name}, so nothing was written.`,
    'Choose an empty store with --to.',
  );
}

async function copyTable({ name, source, target }: TablePair): Promise<void> {
  using progress = reportProgress(name, await source.count());
  for await (const rows of readAll(source)) {
    await target.write(rows);
    progress.add(rows.length);
  }
}

/** Reads both tables again completely. */
async function compare({ name, source, target }: TablePair): Promise<string> {
  using progress = reportProgress(`${name} compared`, await target.count());
  const [expected, found] = await Promise.all([
    summarize(source),
    summarize(target, (count) => progress.add(count)),
  ]);
  if (expected.count !== found.count || expected.checksum !== found.checksum) {
    throw new OperatorError(
      `The ${name} differ after the copy: ${expected.count} in the source, ${found.count} in the target.`,
      'Stop the services of both stores, empty the target, and run the same command again.',
    );
  }
  return `${found.count.toLocaleString('en')} ${name} (${found.checksum.slice(0, 12)})`;
}

async function summarize(table: BulkTable<unknown>, onRows = (_count: number): void => {}) {
  const sum = createHash('sha256');
  let count = 0;
  for await (const rows of readAll(table)) {
    sum.update(linesOf(rows));
    count += rows.length;
    onRows(rows.length);
  }
  return { count, checksum: sum.digest('hex') };
}

/** One line per row. Every store must produce the same bytes. */
function linesOf(rows: unknown[]): string {
  const text = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return rows.map((row) => `${JSON.stringify(row, text)}\n`).join('');
}
