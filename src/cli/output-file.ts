import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { OperatorError } from '../error.ts';

/** A file that a command writes. Every failure is an error for the operator. */
export interface OutputFile {
  write(text: string): void;
  /** Waits until the file is on disk. */
  sync(): void;
  close(): void;
}

export interface OutputFileOptions {
  /** `w` replaces a file; `wx` fails if it exists. */
  flags: 'w' | 'wx';
  /** The file in error messages. */
  name: string;
}

export function openOutputFile(path: string, { flags, name }: OutputFileOptions): OutputFile {
  const descriptor = attemptWrite(name, () => openSync(path, flags, 0o600));
  return {
    write: (text) => attemptWrite(name, () => writeAll(descriptor, Buffer.from(text))),
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
