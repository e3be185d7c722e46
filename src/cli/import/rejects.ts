import { closeSync, openSync, statSync } from 'node:fs';
import { OperatorError, usageError } from '../../error.ts';
import type { PetRow } from '../../formats/record.ts';
import { writeAll } from '../write-all.ts';

/** Where bad rows go: one JSON object per line, with the line of the row, what is wrong, and its text. */
export interface Rejects {
  write(row: PetRow): void;
  close(): void;
}

export function openRejects(path: string, inputPath: string): Rejects {
  if (isSameFile(path, inputPath)) throw usageError('--rejects must not be the file that is imported.');
  const descriptor = attempt(path, () => openSync(path, 'w', 0o600));
  let waiting = '';
  const flush = (): void => {
    const text = waiting;
    waiting = '';
    attempt(path, () => writeAll(descriptor, text));
  };
  return {
    write({ line, problem, text }) {
      waiting += `${JSON.stringify({ line, problem, text: text.toWellFormed() })}\n`;
      if (waiting.length > 64 * 1024) flush();
    },
    close() {
      flush();
      closeSync(descriptor);
    },
  };
}

function attempt<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The file ${path} of --rejects cannot be written (${code}). Nothing was added.`);
  }
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return left !== undefined && right !== undefined && left.dev === right.dev && left.ino === right.ino;
}
