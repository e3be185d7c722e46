import { readFileSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';

/** Reads a text file that a flag names. */
export function readFileOf(flag: string, path: string): string {
  return attemptRead(`${path} of ${flag}`, () => readFileSync(path, 'utf8'));
}

/** Turns a failure into an error for the operator, which calls the file `name`. */
export function attemptRead<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The file ${name} cannot be read (${code}).`, 'Check its path and permissions.');
  }
}
