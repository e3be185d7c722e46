import { readFileSync } from 'node:fs';
import { OperatorError } from '../error.ts';

/** Reads a text file that a flag names. */
export function readFileOf(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file ${path} of ${flag} cannot be read (${code}).`,
      'Check its path and permissions.',
    );
  }
}
