import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { OperatorError } from '../domain/error.ts';
import { partialOf } from './leftovers.ts';

/** Reads a text file named by a flag. */
export function readFileOf(flag: string, path: string): string {
  return attemptRead(`${path} of ${flag}`, () => readFileSync(path, 'utf8'));
}

/** The operating system's description of a failure: `no such file or directory` for ENOENT. */
export function systemReason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  // Bun.listen reports errno without the minus sign.
  return errno === undefined ? message : getSystemErrorMessage(-Math.abs(errno));
}

/** Turns a failed read into an operator's error about the file `name`. */
export function attemptRead<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new OperatorError(
      `The file ${name} cannot be read: ${systemReason(error)}.`,
      'Check its path and permissions.',
    );
  }
}

/** Turns a failed write into an operator's error about the file `name`. */
export function attemptWrite<Result>(name: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw new OperatorError(
      `The file ${name} cannot be written: ${systemReason(error)}.`,
      'Check its folder, its permissions and the free space.',
    );
  }
}

/** Standard output may be on a full disk too. */
export function outputFailed(error: unknown): OperatorError {
  return new OperatorError(
    `Standard output cannot be written: ${systemReason(error)}.`,
    'Check where it is redirected to.',
  );
}

export interface OutputFile extends Disposable {
  write(text: string): void;
  /** Waits until the file is on disk. */
  sync(): void;
}

/** Opens a file for writing: `w` replaces an existing file, `wx` fails if there is one. */
export function openOutputFile(path: string, flags: 'w' | 'wx', name: string): OutputFile {
  const descriptor = attemptWrite(name, () => openSync(path, flags, 0o600));
  return {
    write: (text) => attemptWrite(name, () => writeAll(descriptor, Buffer.from(text))),
    sync: () => attemptWrite(name, () => fsyncSync(descriptor)),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** One call may write only a part; on a full disk, the next call fails. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}

/** Writes a file atomically and syncs it. */
export function writeWhole(path: string, text: string, mode: number): void {
  const partial = partialOf(path);
  try {
    writeFileSync(partial, text, { mode: 0o600 });
    chmodSync(partial, mode);
    syncPath(partial);
    renameSync(partial, path);
    syncPath(dirname(resolve(path)));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** A new name survives a power cut only if its folder is synced too. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
