import { mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { syncPath } from './files.ts';

/** Identifies the file behind a name. A rename does not change it. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Undefined if the file is missing or inaccessible. */
export function identityOf(path: string, stat = statSync): FileIdentity | undefined {
  try {
    const { dev, ino } = stat(path, { bigint: true });
    return { device: dev, inode: ino };
  } catch {
    return undefined;
  }
}

export function isSameIdentity(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.device === other?.device && one.inode === other.inode;
}

export function isSameFile(one: string, other: string): boolean {
  return isSameIdentity(identityOf(one), identityOf(other));
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
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncPath(dirname(made));
}
