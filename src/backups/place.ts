import { statSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. It stores files and knows nothing about stores. */
export interface BackupPlace {
  /** As the operator named it. */
  readonly name: string;
  /** The names of all files with their sizes. Fails when the place cannot be used. */
  list(): Promise<Map<string, number>>;
  /**
   * Adds the file that `make` writes to a path of this machine; when this returns, the place holds exactly these bytes.
   * Before, removes what backups of the store that were killed have left.
   */
  add<Made extends { sha256: string }>(
    name: string,
    store: string,
    make: (draft: string) => Promise<Made>,
  ): Promise<Made>;
  /** Adds a small file. It appears whole or not at all. */
  write(name: string, text: string): Promise<void>;
  /** Undefined for a file that is larger; of that, no more is read. */
  read(name: string, maxBytes: number): Promise<string | undefined>;
  /** Copies a file to a path of this machine. */
  fetch(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The SHA-256 of what is read piece by piece. */
export async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest('hex');
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
