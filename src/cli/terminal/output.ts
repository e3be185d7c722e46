import { OperatorError, PetstoreError } from '../../error.ts';
import { createLog, type LogLevel } from '../../log.ts';
import type { ServeContext } from '../../server/options.ts';
import { visibleLines } from './visible.ts';

/** What a service needs of its process. The log is readable on a terminal and JSON lines anywhere else. */
export function openContext(level: LogLevel): ServeContext {
  // A service outlives the reader of its log: without this, the next line after the reader is gone would be a crash.
  process.stdout.on('error', () => {});
  const log = createLog({
    level,
    format: process.stdout.isTTY ? 'text' : 'json',
    write: (line) => process.stdout.write(visibleLines(line)),
  });
  return { log, tell, environment: process.env };
}

/** Prints the result of a command. */
export function print(text: string): void {
  process.stdout.write(visibleLines(text));
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** `1 pet`, `2,000 pets`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Turns the failure of a store into an error for the operator; other errors stay what they are. */
export function asInterrupted(work: string, error: unknown, remedy: string): unknown {
  if (!(error instanceof PetstoreError)) return error;
  return new OperatorError(`The ${work} was interrupted: ${reasonOf(error)}.`, remedy);
}

/** The innermost reason, without its full stop. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? reasonOf(cause) : message.replace(/\.$/, '');
}

/** Shows a few lines to the person who started the command, apart from a log that a machine reads. */
function tell(text: string): void {
  (process.stdout.isTTY ? process.stdout : process.stderr).write(`${text}\n`);
}
