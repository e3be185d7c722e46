import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { Log } from '../../system/log.ts';
import { isSameFile, prepareFolder, resolveLinks, sizeOf, systemReason } from '../../system/files.ts';

/** The file of a store. Its path is resolved once, because a link may lead elsewhere later. */
export interface StoreFile {
  /** The name as the operator gave it. */
  readonly name: string;
  /** The path without links. SQLite keeps its log and its shared memory beside it. */
  readonly path: string;
  /** See `identityOf`: the file and, once a connection in WAL mode has created them, its log and its shared memory. */
  readonly identities: readonly (string | undefined)[];
}

/** The device and inode of a file, which a rename does not change. Undefined if it is missing or inaccessible. */
export function identityOf(path: string): string | undefined {
  try {
    // Do not follow a link at the path: a file that was moved away is no longer beside its log.
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** The suffixes of the files that SQLite keeps beside a store. */
export const sideFiles = ['-wal', '-shm', '-journal'] as const;

/** Returns undefined if there is no such file. */
export function findStore(name: string): StoreFile | undefined {
  const path = resolveLinks(name);
  refuseLostFile(name, path);
  const stats = orExplain(name, () => statSync(path, { throwIfNoEntry: false }));
  if (!stats) return undefined;
  if (!stats.isFile()) throw new OperatorError(`${name} is not a file.`, 'Name a file with --database-url.');
  orExplain(name, () => accessSync(path, constants.R_OK));
  return { name, path, identities: [identityOf(path)] };
}

/** Creates the file and its folder if they are missing. */
export function findOrMakeStore(name: string): StoreFile {
  const path = resolveLinks(name);
  refuseLostFile(name, path);
  orExplain(name, () => makeFile(path));
  const store = findStore(name);
  if (!store) throw new OperatorError(`${name} was removed while it was being opened.`, 'Try again.');
  return store;
}

/** SQLite would discard a log whose file is missing or empty. */
function refuseLostFile(name: string, path: string): void {
  // Check the log first: SQLite writes the first page of a new file before it starts the log.
  if (!holdsFrames(`${path}-wal`) || sizeOf(path) > 0) return;
  throw new OperatorError(
    `${name} is gone, but its log holds commits.`,
    `Put the file back, or move ${path}-wal away and restore a backup: petstore restore FILE --database-url ${name}`,
  );
}

const logHeaderBytes = 32;

/** Whether a log holds more than its header. A header alone contains no commit. */
export function holdsFrames(log: string): boolean {
  return sizeOf(log) > logHeaderBytes;
}

/** Whether a path leads to a store or to one of its side files, by any name or link. */
export function isFileOfStore(storeName: string, path: string): boolean {
  const [storePath, resolved] = [resolveLinks(storeName), resolveLinks(path)];
  return ['', ...sideFiles].some((suffix) => {
    const file = `${storePath}${suffix}`;
    return file === resolved || isSameFile(file, path);
  });
}

/** Gives access only to the owner; SQLite gives its side files the same permissions. */
function makeFile(path: string): void {
  prepareFolder(path);
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Refuses a store that this user may not write. If it is missing, checks the folder that would hold it. */
export function refuseUnwritable(name: string): void {
  const path = resolveLinks(name);
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  orExplain(name, () => {
    accessSync(folder, constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
  });
}

/** The file holds the hashes of the keys. */
export function warnOfReaders({ path }: StoreFile, log: Log): void {
  if ((statSync(path).mode & 0o007) !== 0)
    log.warn(`Every user of this machine may open the store. Run: chmod o= ${path}`);
}

function orExplain<Result>(name: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw new OperatorError(
      `The store ${name} cannot be used: ${systemReason(error)}.`,
      'Run this as its owner, give this user rights to the folder and the file, or choose another file with ' +
        '--database-url.',
    );
  }
}
