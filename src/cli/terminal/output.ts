import { styleText } from 'node:util';
import { redactKeys } from '../../domain/api-key.ts';
import { OperatorError, PetstoreError } from '../../domain/error.ts';
import {
  createLog,
  describeError,
  type Log,
  type LogFields,
  type LogLevel,
  reasonOf,
} from '../../system/log.ts';

/** The log of a service: readable on a terminal, JSON lines elsewhere. */
export function openLog(level: LogLevel): Log {
  // A service outlives the reader of its log: without this, the next line would crash it.
  process.stdout.on('error', () => {});
  return process.stdout.isTTY
    ? createLog({ level, render: renderLogLine, write: (line) => process.stdout.write(line) })
    : createLog({ level, write: (line) => process.stdout.write(visibleLines(line)) });
}

/** Prints what the command produces. */
export function print(text: string): void {
  process.stdout.write(visibleLines(text));
}

/** Resolves once the text is written. */
export function printAsync(text: string, stream: NodeJS.WriteStream = process.stdout): Promise<void> {
  // Replace the program's own listener, which would report the failure a second time.
  stream.removeAllListeners('error').on('error', () => {});
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
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

/** Says what the command is doing, on standard error, apart from what it produces. */
export function report(text: string): void {
  process.stderr.write(`${visible(text)}\n`);
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
  // The message of a store is for callers of the API, so only its reason is shown.
  if (error instanceof PetstoreError)
    return visible(`The store failed: ${reasonOf(error).replace(/\.$/, '')}.`);
  return visibleLines(describeError(error));
}

/** Prints for the person who started the service, apart from a log that a machine reads. */
export function printForOperator(text: string): Promise<void> {
  const stream = process.stdout.isTTY ? process.stdout : process.stderr;
  return printAsync(`${text}\n`, stream);
}

const colours = { error: 'red', warn: 'yellow', info: 'green', debug: 'blue' } as const;

/** A log line for a person at a terminal. An error's stack comes last. */
export function renderLogLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const { error, ...others } = fields;
  const words = [
    styleText('dim', time.toTimeString().slice(0, 8)),
    ...(level === 'info' ? [] : [styleText(colours[level], level)]),
    visibleLines(message),
    ...detailsOf(others),
    ...(error === undefined ? [] : [visibleLines(String(error))]),
  ];
  return words.join(' ');
}

function detailsOf(fields: LogFields): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${visible(name)}=${valueOf(value)}`);
}

/** Adds quotes if the value has spaces, so that it cannot pass for several fields. */
function valueOf(value: LogFields[string]): string {
  const text = String(value);
  return visible(/[\s"]/.test(text) ? JSON.stringify(text) : text);
}

/**
 * Makes untrusted text safe to print on one line. Characters that move the cursor, change colours or reverse text are
 * escaped as in JSON, so JSON keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(unsafe, escape);
}

/** Like `visible`, for several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** C0, DEL and C1, other line ends, and controls of text direction. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
