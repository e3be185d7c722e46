import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';

/**
 * Opens a file that a command writes: `w` replaces a file, `wx` fails if it exists. Every failure is an error for the
 * operator, which calls the file `name`.
 */
export function openOutputFile(path: string, flags: 'w' | 'wx', name: string) {
  const descriptor = attemptWrite(name, () => openSync(path, flags, 0o600));
  return {
    write: (text: string) => attemptWrite(name, () => writeAll(descriptor, Buffer.from(text))),
    /** Waits until the file is on disk. */
    sync: () => attemptWrite(name, () => fsyncSync(descriptor)),
    close: () => closeSync(descriptor),
  };
}

export function attemptWrite<Result>(name: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file ${name} cannot be written (${code}).`,
      'Check its folder, its permissions and the free space.',
    );
  }
}

/** One call may write only a part, and a full disk fails the next one. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
