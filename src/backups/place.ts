import { statSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. It stores files and knows nothing about stores. */
export interface BackupPlace {
  /** As the operator named it. */
  readonly name: string;
  /** The names of all files with their sizes. Fails when the place cannot be used. */
  list(): Promise<Map<string, number>>;
  /** Where a file is prepared before {@link add}: it may be the file itself. */
  draftOf(name: string, store: string): string;
  /** Moves a prepared file here; when this returns, the place holds exactly these bytes. */
  add(name: string, draft: string, sha256: string): Promise<void>;
  /** Adds a small file. It appears whole or not at all. */
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Copies a file to a path of this machine. */
  fetch(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes from this machine what backups of the store that were killed have left. */
  removeLeftovers(store: string): void;
}

export type Environment = Record<string, string | undefined>;

/** Whether a name means a place, not a single file. A folder that does not exist must be named with a slash. */
export function isPlace(name: string): boolean {
  return (
    isS3(name) || name.endsWith('/') || statSync(name, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

export function isS3(name: string): boolean {
  return name.startsWith('s3://');
}

export function noPlace(name: string): OperatorError {
  return new OperatorError(`There is no folder ${name}.`, 'Create it, or mount the disk that it is on.');
}
