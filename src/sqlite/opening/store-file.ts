import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { syncPath } from '../../system/files.ts';
import { explainRights } from './rights.ts';

/**
 * The file of a store, found once. Later the name may lead elsewhere, because a link was changed or the file replaced.
 * Every connection is opened on this file, and `isInPlace` tells when the name no longer leads to it.
 */
export interface StoreFile extends Identity {
  /** As the operator named it. */
  readonly name: string;
  /** The same without links. SQLite keeps its log and its shared memory beside this path. */
  readonly path: string;
  /** The log and the shared memory, once a connection has made both. They do not change while the store is in use. */
  readonly sideFiles?: readonly (Identity & { suffix: string })[];
}

interface Identity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** What SQLite keeps beside a store. */
export const sideFiles = ['-wal', '-shm', '-journal'] as const;

/** Undefined when there is no such file. */
export function findStoreFile(name: string): StoreFile | undefined {
  const path = resolveLinks(name);
  const rights = explainRights(path, constants.R_OK);
  if (rights) throw rights;
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!found) return undefined;
  if (!found.isFile()) throw new OperatorError(`${name} is not a file.`, 'Name a file with --database-url.');
  return { name, path, device: found.dev, inode: found.ino };
}

/** The same for a command that only reads. Refuses what an operator must bring together first. */
export function findExisting(name: string): StoreFile | undefined {
  refuseIncomplete(name, resolveLinks(name));
  return findStoreFile(name);
}

/** Adds the identity of the side files. A connection must have read the store before. */
export function withSideFiles(file: StoreFile): StoreFile {
  const found = ['-wal', '-shm'].flatMap((suffix) => {
    const identity = identify(`${file.path}${suffix}`);
    return identity ? [{ suffix, ...identity }] : [];
  });
  return { ...file, sideFiles: found };
}

/**
 * Whether the name still leads to this file, and its side files are still beside it. A file that was moved is no longer
 * beside its log, even if a link was left in its place. A process without the shared memory of the others does not see
 * their commits, nor they its own. Cheap enough to run before every commit.
 */
export function isInPlace(file: StoreFile): boolean {
  return (
    isSame(identify(file.name), file) &&
    isSame(identify(file.path, lstatSync), file) &&
    (file.sideFiles ?? []).every((found) => isSame(identify(`${file.path}${found.suffix}`), found))
  );
}

/** Whether a path leads to a store or to one of its side files, by any name or link. */
export function isFileOfStore(storeName: string, path: string): boolean {
  const [storePath, resolved] = [resolveLinks(storeName), resolveLinks(path)];
  return ['', ...sideFiles].some((suffix) => {
    const file = `${storePath}${suffix}`;
    return file === resolved || isSameFile(file, path);
  });
}

export function isSameFile(one: string, other: string): boolean {
  const found = identify(one);
  return found !== undefined && isSame(identify(other), found);
}

/** The copy of a backup that is about to become the store. While it is there and the store is not, none may be made. */
export function restoringPath(path: string): string {
  return `${path}.restoring`;
}

/** Refuses a store that an interrupted restore has moved aside, or that lacks its log, and a log that lacks its store. */
export function refuseIncomplete(name: string, path: string): void {
  const logs = linksOf(name).map((link) => `${link}-wal`);
  const log = logs.find((file) => holdsFrames(file) && !isSameFile(file, `${path}-wal`));
  if (log !== undefined)
    throw new OperatorError(
      `${log} holds the newest commits of this store, which was moved to ${path} without it.`,
      `Move it there as well: mv ${log} ${path}-wal`,
    );
  // Before the file: SQLite writes its first page before it begins a log, but removes the log of an empty file.
  const hasCommits = holdsFrames(`${path}-wal`);
  const isRestoring = existsSync(restoringPath(path));
  if (sizeOf(path) > 0) return;
  if (isRestoring)
    throw new OperatorError(
      `A restore of ${name} was interrupted, or is under way.`,
      'If it was interrupted, run the restore again.',
    );
  if (hasCommits)
    throw new OperatorError(
      `${name} is gone, but its log holds commits.`,
      `Put the file back, or restore a backup: petstore restore FILE --database-url ${name}`,
    );
}

const logHeaderBytes = 32;

/** Whether a log holds anything but its header. Otherwise it holds no commit. */
export function holdsFrames(log: string): boolean {
  return sizeOf(log) > logHeaderBytes;
}

/** Differs after every change of the store's content. */
export function stateOf({ path }: StoreFile): string {
  const states = ['', '-wal', '-journal'].map((suffix) => {
    const found = statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true });
    return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return states.join(', ');
}

/** As many links as Linux follows. */
const maxLinks = 40;

/** Follows every link, also one to a file that does not exist yet. */
export function resolveLinks(name: string): string {
  const path = linksOf(name).at(-1) ?? name;
  try {
    // The system resolves `..` behind a link against the link's target, which `resolve` would not.
    return realpathSync.native(path);
  } catch (error) {
    const folder = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === path) return resolve(path);
    return join(resolveLinks(folder), basename(path));
  }
}

/** The name of a file and the target of each link from there on. The last one is not a link. */
function linksOf(name: string): string[] {
  const names = [name];
  for (let path = name; names.length < maxLinks;) {
    const target = targetOf(path);
    if (target === undefined) break;
    path = isAbsolute(target) ? target : `${dirname(path)}/${target}`;
    names.push(path);
  }
  return names;
}

/** Makes the folder of an absolute path, for its owner alone. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncPath(dirname(made));
}

/** The first bytes of a file; undefined when it is shorter. */
export function readStart(path: string, length: number): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return readSync(file, bytes) === length ? bytes : undefined;
  } finally {
    closeSync(file);
  }
}

/** Undefined when it is not a link, or may not be read. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** 0 when nothing is there, or nothing that may be read. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Undefined when nothing is there, or nothing that may be read. */
function identify(path: string, stat = statSync): Identity | undefined {
  try {
    const { dev, ino } = stat(path, { bigint: true });
    return { device: dev, inode: ino };
  } catch {
    return undefined;
  }
}

function isSame(found: Identity | undefined, expected: Identity): boolean {
  return found?.device === expected.device && found.inode === expected.inode;
}
