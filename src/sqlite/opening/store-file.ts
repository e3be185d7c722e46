import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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
  /** That of a store in use. SQLite makes it with the first read, and it never becomes another file. */
  readonly log?: Identity | undefined;
}

interface Identity {
  device: bigint;
  inode: bigint;
}

/** Undefined when there is no such file. */
export function findStoreFile(name: string): StoreFile | undefined {
  const path = resolveLinks(name);
  const found = identify(path);
  return found && { name, path, ...found };
}

/** The file with its log, which a connection must have read. */
export function withLog<File extends StoreFile>(file: File): File {
  return { ...file, log: identify(logOf(file)) };
}

/**
 * Whether the name still leads to this file, and the file is beside its log where it was found: moved, even with a link
 * left in its place, it is without. Cheap enough to ask before every commit.
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

/** What SQLite and a restore keep beside a store. */
const suffixes = ['', '-wal', '-shm', '-journal', '.restoring'];

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

/** As many links as Linux follows. */
const maxLinks = 40;

/** Follows every link, also one that leads to a file which does not exist yet. */
export function resolveLinks(name: string): string {
  let path = resolve(name);
  for (let count = 0; count < maxLinks; count++) {
    try {
      return realpathSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return path;
    }
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      path = resolve(dirname(path), readlinkSync(path));
    } else {
      return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path));
    }
  }
  return path;
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
  const states = ['', '-wal'].map((suffix) => {
    const found = statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true });
    return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return states.join(', ');
}
