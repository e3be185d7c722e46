import { redactKeys } from '../../domain/api-key.ts';
import { OperatorError, PetstoreError } from '../../domain/error.ts';
import { createLog, describeError, reasonOf, type LogLevel } from '../../system/log.ts';
import type { ServeContext } from '../../server/options.ts';
import { storeAt } from '../../stores/open.ts';
import { renderLogLine } from './log-line.ts';
import { visible, visibleLines } from './text.ts';

/** What a service needs from its process. The log is readable on a terminal and JSON lines elsewhere. */
export function openContext(level: LogLevel): ServeContext {
  // A service outlives the reader of its log: without this, the next line would crash it.
  process.stdout.on('error', () => {});
  const log = process.stdout.isTTY
    ? createLog({ level, render: renderLogLine, write: (line) => process.stdout.write(line) })
    : createLog({ level, write: (line) => process.stdout.write(visibleLines(line)) });
  return { log, tell, environment: process.env };
}

export function print(text: string): void {
  process.stdout.write(visibleLines(text));
}

/** Resolves once the text is written. */
export function show(text: string, stream: NodeJS.WriteStream = process.stdout): Promise<void> {
  // Replace the program's own listener, which would report the failure a second time.
  stream.removeAllListeners('error').on('error', () => {});
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

export function printJson(value: unknown): void {
  print(renderJson(value));
}

export function renderJson(value: unknown): string {
  return visibleLines(`${JSON.stringify(value, null, 2)}\n`);
}

/** Aligns rows of cells in columns for a terminal. */
export function renderTable(rows: string[][]): string {
  const cells = rows.map((row) => row.map(visible));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => Bun.stringWidth(row[column] ?? ''))),
  );
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** `1 pet`, `2,000 pets`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b and c`. */
export function listOf(items: string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}

/** Renders `5 pets`, or `5 pets and 2 orders` for a store that has orders; `more` continues the list. */
export function contentOf(
  { petCount, orderCount }: { petCount: number; orderCount: number },
  ...more: string[]
): string {
  const orders = orderCount === 0 ? [] : [countOf(orderCount, 'order')];
  return listOf([countOf(petCount, 'pet'), ...orders, ...more]);
}

/** `12 minutes`, `3 hours`, `30 days`. */
export function describeAge(milliseconds: number): string {
  const [size, noun] = ageUnits.find(([least]) => milliseconds >= 2 * least) ?? [60_000, 'minute'];
  return countOf(Math.max(0, Math.floor(milliseconds / size)), noun);
}

const ageUnits = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
] as const;

/** Names the store on standard error, apart from a result that is data. */
export function nameStore(databaseUrl: string): void {
  process.stderr.write(`Store: ${visible(storeAt(databaseUrl).name)}\n`);
}

/** For problems that do not stop the command. */
export function warn(text: string): void {
  process.stderr.write(`petstore: ${visible(text)}\n`);
}

/** Resolves once the error is written; never rejects. */
export function printError(error: unknown): Promise<void> {
  const text = `petstore: ${errorText(error)}\n`;
  return new Promise((resolve) => process.stderr.write(text, () => resolve()));
}

/** One line for an operator's problem; every detail for a bug. */
export function errorText(error: unknown): string {
  return redactKeys(textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof OperatorError) return visible(error.message);
  if (!(error instanceof PetstoreError)) return visibleLines(describeError(error));
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return visible(`${error.message}${reason}`);
}

/** Turns a failure of the store into an operator's error; other errors stay unchanged. */
export function asInterrupted(work: string, error: unknown, remedy: string): unknown {
  if (!(error instanceof PetstoreError)) return error;
  return new OperatorError(`The ${work} was interrupted: ${reasonOf(error).replace(/\.$/, '')}.`, remedy);
}

/** Shows a few lines to the person who started the command, apart from a log that a machine reads. */
function tell(text: string): Promise<void> {
  const stream = process.stdout.isTTY ? process.stdout : process.stderr;
  return show(`${text}\n`, stream);
}
