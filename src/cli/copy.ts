import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { readAll, type BulkStore, type BulkTable } from '../domain/bulk-store.ts';
import { IdTakenError, OperatorError, usageError } from '../domain/error.ts';
import { noProgress, type Progress } from '../domain/progress.ts';
import { isSameStore, openBulkStore, storeOf } from '../stores.ts';
import { audited, auditHelp, storeOptions } from './audit.ts';
import { addExamples } from './terminal/help.ts';
import { asInterrupted, print } from './terminal/output.ts';
import { showProgress } from './terminal/progress.ts';

export function define(command: Command): void {
  command
    .description(
      'Copy a whole store: pets and orders with their ids, API keys, idempotency keys and the progress of imports. Stop the ' +
        'services of both stores first. If the copy is interrupted, run the same command again: it continues.',
    )
    .requiredOption('--from <address>', 'The store to read. It is not changed.')
    .requiredOption('--to <address>', 'The store to write: new, empty, or begun by the same copy.')
    .addHelpText('after', auditHelp)
    .action(copy);
  addExamples(
    command,
    'petstore copy --from data/petstore.db --to postgres://petstore@db.example/shop',
    'petstore copy --from postgres://petstore@db.example/shop --to data/petstore.db',
  );
}

/** Keys come last: nobody can call a store that is only partly copied. */
const tables = [
  ['pets', 'pets'],
  ['orders', 'orders'],
  ['idempotency keys', 'idempotencyRecords'],
  ['imports', 'imports'],
  ['API keys', 'keys'],
] as const;

interface TablePair {
  name: string;
  source: BulkTable<unknown>;
  target: BulkTable<unknown>;
}

function copy({ from, to }: Record<'from' | 'to', string>): Promise<void> {
  const work = (): Promise<void> => copyStore(from, to);
  return audited('copy', to, { from: storeOf(from) }, work);
}

async function copyStore(from: string, to: string): Promise<void> {
  if (isSameStore(from, to)) throw usageError('--from and --to name the same store.', 'Choose another --to.');
  const source = await openBulkStore(from, { environment: process.env, mayCreate: false });
  try {
    const target = await openBulkStore(to, { ...storeOptions(to), mayCreate: true });
    try {
      const summary = await copyAll(source, target);
      print(`Copied and compared: ${summary}. ${storeOf(from)} and ${storeOf(to)} are the same.\n`);
    } finally {
      await target.close();
    }
  } catch (error) {
    throw asInterrupted('copy', error, 'Run the same command again to continue.');
  } finally {
    await source.close();
  }
}

async function copyAll(source: BulkStore, target: BulkStore): Promise<string> {
  const pairs: TablePair[] = tables.map(([name, table]) => ({
    name,
    source: source[table],
    target: target[table],
  }));
  // Everything that is already there is compared before anything is written.
  const copied = await comparing(pairs, compareBeginning);
  await target.raiseLastIds(await source.lastIds());
  for (const [pair, done] of copied) await copyRest(pair, done);
  const summaries = await comparing(pairs, verify);
  await verifyLastIds(source, target);
  return summaries.map(([, text]) => text).join(', ');
}

/** Compares pair by pair. This reads both stores whole and takes as long as a copy, so it shows progress. */
async function comparing<Result>(
  pairs: TablePair[],
  compare: (pair: TablePair, progress: Progress) => Promise<Result>,
): Promise<[TablePair, Result][]> {
  let total = 0;
  // One after the other: a session runs one query at a time.
  for (const { target } of pairs) total += await target.count();
  using progress = total === 0 ? noProgress : showProgress('rows compared', total);
  return await Array.fromAsync(pairs, async (pair) => [pair, await compare(pair, progress)]);
}

interface Beginning {
  count: number;
  last: unknown;
}

/** The target must hold the first rows of the source; the copy continues after them. */
async function compareBeginning({ name, source, target }: TablePair, progress: Progress): Promise<Beginning> {
  let count = 0;
  let last: unknown;
  for await (const found of readAll(target)) {
    const expected = await source.read(last, found.length);
    if (linesOf(expected) !== linesOf(found)) {
      throw new OperatorError(
        `The target holds other ${name}, so nothing was written.`,
        'Choose an empty store with --to.',
      );
    }
    count += found.length;
    last = found.at(-1);
    progress.add(found.length);
  }
  return { count, last };
}

async function copyRest({ name, source, target }: TablePair, { count, last }: Beginning): Promise<void> {
  using progress = showProgress(name, await source.count(), { done: count });
  for await (const rows of readAll(source, { after: last })) {
    await target.write(rows).catch(explainTaken);
    progress.add(rows.length);
  }
}

function explainTaken(error: unknown): never {
  if (!(error instanceof IdTakenError)) throw error;
  throw new OperatorError(
    'Another process wrote to the target during the copy.',
    'Stop the services of both stores, and copy into an empty store with --to.',
  );
}

/** Reads both tables again, whole. */
async function verify({ name, source, target }: TablePair, progress: Progress): Promise<string> {
  const [expected, found] = await Promise.all([summarize(source, noProgress), summarize(target, progress)]);
  if (expected.count !== found.count || expected.checksum !== found.checksum) {
    throw new OperatorError(
      `The ${name} differ after the copy: ${expected.count} in the source, ${found.count} in the target.`,
      'If a service writes to one of the stores, stop it. Then run the same command again.',
    );
  }
  return `${found.count.toLocaleString('en')} ${name} (${found.checksum.slice(0, 12)})`;
}

/** The newest pets may have been deleted: their ids must not be used again in the target either. */
async function verifyLastIds(source: BulkStore, target: BulkStore): Promise<void> {
  const [expected, found] = await Promise.all([source.lastIds(), target.lastIds()]);
  if (found.pets >= expected.pets && found.orders >= expected.orders) return;
  throw new OperatorError(
    'The source assigned ids during the copy.',
    'Stop the service that writes to it. Then run the same command again.',
  );
}

async function summarize(table: BulkTable<unknown>, progress: Progress) {
  const sum = createHash('sha256');
  let count = 0;
  for await (const rows of readAll(table)) {
    sum.update(linesOf(rows));
    count += rows.length;
    progress.add(rows.length);
  }
  return { count, checksum: sum.digest('hex') };
}

/** One line per row, the same in every store. */
function linesOf(rows: unknown[]): string {
  const text = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return rows.map((row) => `${JSON.stringify(row, text)}\n`).join('');
}
