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
}

/** Undefined when there is no such file. */
export function findStoreFile(name: string): StoreFile | undefined {
  const path = resolveLinks(name);
  const found = identify(path);
  return found && { name, path, ...found };
}

/** Whether the name still leads to this file. Cheap enough to ask before every commit. */
export function isInPlace({ name, device, inode }: StoreFile): boolean {
  const found = identify(name);
  return found?.device === device && found.inode === inode;
}

/** The same, and the file has not been moved with a link left in its place: its log would stay behind. */
export function isUntouched(file: StoreFile): boolean {
  return isInPlace(file) && resolveLinks(file.name) === file.path;
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
    const other = found && identify(file);
    return other !== undefined && other.device === found?.device && other.inode === found.inode;
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

interface Identity {
  device: bigint;
  inode: bigint;
}

/** Undefined when nothing is there, or nothing that may be seen. */
export function identify(path: string): Identity | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
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
