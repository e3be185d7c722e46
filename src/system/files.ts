import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { OperatorError } from '../domain/error.ts';

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

/** Turns a failure into an operator's error about the file `name`. */
function attempt(done: string, remedy: string) {
  return <Result>(name: string, action: () => Result): Result => {
    try {
      return action();
    } catch (error) {
      throw new OperatorError(`The file ${name} cannot be ${done}: ${systemReason(error)}.`, remedy);
    }
  };
}

export const attemptRead = attempt('read', 'Check its path and permissions.');
export const attemptWrite = attempt('written', 'Check its folder, its permissions and the free space.');

/** Standard output may be on a full disk too. */
export function outputFailed(error: unknown): OperatorError {
  return new OperatorError(
    `Standard output cannot be written: ${systemReason(error)}.`,
    'Check where it is redirected to.',
  );
}

/** One call may write only a part; on a full disk, the next call fails. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}

/** Copies a file so that only the owner can ever read the copy: `copyFileSync` gives it the mode of the original. */
export function copyPrivately(from: string, to: string): void {
  using open = new DisposableStack();
  const target = open.adopt(openSync(to, 'wx', 0o600), closeSync);
  const source = open.adopt(openSync(from, 'r'), closeSync);
  const piece = Buffer.allocUnsafe(1024 * 1024);
  for (let length = readSync(source, piece); length > 0; length = readSync(source, piece))
    writeAll(target, piece.subarray(0, length));
}

/** A new name survives a power cut only if its folder is synced too. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Whether two names lead to one file. False if either is missing or inaccessible. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const [{ dev, ino }, stats] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
    return dev === stats.dev && ino === stats.ino;
  } catch {
    return false;
  }
}

/** 0 if the file is missing or inaccessible. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Follows every link, even to a file that does not exist yet. */
export function resolveLinks(name: string): string {
  try {
    // The system resolves `..` after a link against the link's target; `resolve` would not.
    return realpathSync.native(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return resolve(name);
  }
  const target = targetOf(name);
  const folder = dirname(name);
  if (target !== undefined) return resolveLinks(target.startsWith('/') ? target : `${folder}/${target}`);
  return folder === name ? resolve(name) : join(resolveLinks(folder), basename(name));
}

/** Undefined if it is not a link. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Creates the folder of an absolute path, accessible only to its owner. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let child = folder; child.length >= first.length; child = dirname(child)) syncPath(dirname(child));
}

/** The temporary name of an unfinished file. It is unique, even across containers. */
export function partialOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.partial`;
}

/** Matches the suffix of these names, and of the files that SQLite keeps beside them. */
export const partialForm = String.raw`\.[0-9a-f]+\.partial(?:-journal|-wal|-shm)?`;

const leftAfterMs = 86_400_000;

/**
 * Removes files and folders named like the path plus a suffix of this form, if they are a day old: their process was
 * killed. Pass 0 if a lock keeps other processes from creating them.
 */
export function removeLeftovers(path: string, endForm: string, olderThanMs = leftAfterMs): void {
  const folder = dirname(resolve(path));
  const form = new RegExp(`^${RegExp.escape(basename(path))}${endForm}$`);
  for (const name of readdirSync(folder)) {
    if (!form.test(name)) continue;
    const leftover = join(folder, name);
    const stats = lstatSync(leftover, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > olderThanMs) rmSync(leftover, { recursive: true, force: true });
  }
}
