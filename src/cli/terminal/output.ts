import { createLog, type Log, type LogLevel } from '../../log.ts';
import type { Voice } from '../../server/options.ts';
import { visibleLines } from './visible.ts';

/** The log of a command: readable lines on a terminal, one JSON object per line anywhere else. */
export function openLog(level: LogLevel): Log {
  // A service outlives the reader of its log: without this, the first line after it is gone would be a crash.
  process.stdout.on('error', () => {});
  return createLog({
    level,
    format: process.stdout.isTTY ? 'text' : 'json',
    write: (line) => process.stdout.write(visibleLines(line)),
  });
}

export function openVoice(level: LogLevel): Voice {
  return { log: openLog(level), tell };
}

/** Says what a command was asked for; gives the exit status of a success. */
export function print(text: string): number {
  process.stdout.write(visibleLines(text));
  return 0;
}

/** Why a store cannot be used, in its own words where there are some, to be put into a sentence. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? reasonOf(cause) : message.replace(/\.$/, '');
}

/** A few lines for the person who started the command; beside the log where that is read by a machine. */
export function tell(text: string): void {
  (process.stdout.isTTY ? process.stdout : process.stderr).write(`${text}\n`);
}
