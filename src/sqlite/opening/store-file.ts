import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { OperatorError } from '../../error.ts';

/**
 * The file of a store, found once. The name that the operator gave may lead elsewhere later, when a link is changed or
 * the file is replaced; whoever opens the store opens this file, and is told when its name no longer leads here.
 */
export interface StoreFile {
  /** As the operator named it. */
  readonly name: string;
  /** The same without links: SQLite keeps its log and its shared memory beside this. */
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** The log's identity, once a connection has read the store. It stays the same file while the store is in use. */
  readonly log?: Identity | undefined;
}

interface Identity {
  device: bigint;
  inode: bigint;
}

/** Undefined when there is no such file. */
export function findStoreFile(name: string): StoreFile | undefined {
  const path = resolveLinks(name);
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!found) return undefined;
  if (!found.isFile()) throw new OperatorError(`${name} is no file. Name a file with --database-url.`);
  return { name, path, device: found.dev, inode: found.ino };
}

/** The file with its log, which a connection must have read. */
export function withLog<File extends StoreFile>(file: File): File {
  return { ...file, log: identify(logOf(file)) };
}

/**
 * Whether the name still leads to this file, and the log is still beside it. A file that was moved is no longer beside
 * its log, even if a link was left in its place. Cheap enough to ask before every commit.
 */
export function isInPlace(file: StoreFile): boolean {
  return (
    isSame(identify(file.name), file) &&
    isSame(identify(file.path, lstatSync), file) &&
    (file.log === undefined || isSame(identify(logOf(file)), file.log))
  );
}

function isSame(found: Identity | undefined, expected: Identity): boolean {
  return found?.device === expected.device && found.inode === expected.inode;
}

function logOf({ path }: StoreFile): string {
  return `${path}-wal`;
}

/** What SQLite keeps beside a store. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/** Whether a path leads to a store or to one of its files, by whatever name or link. */
export function isFileOfStore(storeName: string, path: string): boolean {
  const resolved = resolveLinks(path);
  const found = identify(path);
  return suffixes.some((suffix) => {
    const file = `${resolveLinks(storeName)}${suffix}`;
    if (file === resolved) return true;
    return found !== undefined && isSame(identify(file), found);
  });
}

export function isSameFile(one: string, other: string): boolean {
  const found = identify(one);
  return found !== undefined && isSame(identify(other), found);
}

/** As many links as Linux follows. */
const maxLinks = 40;

/** Follows every link, also one that leads to a file which does not exist yet. */
export function resolveLinks(name: string): string {
  const path = linksOf(name).at(-1) ?? name;
  try {
    // By the system itself: `..` behind a link does not lead back.
    return realpathSync.native(path);
  } catch (error) {
    const folder = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === path) return resolve(path);
    return join(resolveLinks(folder), basename(path));
  }
}

/** The name of a file, and where each link leads from there; the last one is no link. */
export function linksOf(name: string): string[] {
  const names = [name];
  for (let path = name; names.length < maxLinks;) {
    const target = targetOf(path);
    if (target === undefined) break;
    path = isAbsolute(target) ? target : `${dirname(path)}/${target}`;
    names.push(path);
  }
  return names;
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or nothing that may be seen.
    return undefined;
  }
}

/** Undefined when nothing is there, or nothing that may be seen. */
function identify(path: string, stat = statSync): Identity | undefined {
  try {
    const { dev, ino } = stat(path, { bigint: true });
    return { device: dev, inode: ino };
  } catch {
    return undefined;
  }
}

/** Differs after every change of the store's content. */
export function stateOf({ path }: StoreFile): string {
  const states = ['', '-wal', '-journal'].map((suffix) => {
    const found = statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true });
    return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return states.join(', ');
}
