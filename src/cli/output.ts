import { createLog, type Log, type LogLevel } from '../log.ts';

/** The log of a command: readable lines on a terminal, one JSON object per line anywhere else. */
export function openLog(level: LogLevel): Log {
  // A service outlives the reader of its log: without this, the first line after it is gone would be a crash.
  process.stdout.on('error', () => {});
  return createLog({
    level,
    format: process.stdout.isTTY ? 'text' : 'json',
    write: (line) => process.stdout.write(line),
  });
}

/** A few lines for the person who started the command; beside the log where that is read by a machine. */
export function tell(text: string): void {
  (process.stdout.isTTY ? process.stdout : process.stderr).write(`${text}\n`);
}
