import { statSync } from 'node:fs';
import { OperatorError } from '../../domain/error.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. It stores files and knows nothing about stores. */
export interface BackupPlace {
  /** The name as the operator gave it. */
  readonly name: string;
  /** The names and sizes of all files. Fails if the place cannot be used. */
  list(): Promise<Map<string, number>>;
  /**
   * Adds the file that `make` writes to a local path; on return, the place holds exactly these bytes. First removes
   * what killed backups of this store left behind.
   */
  add<Made extends { sha256: string }>(
    name: string,
    store: string,
    make: (draft: string) => Promise<Made>,
  ): Promise<Made>;
  /** Adds a small file atomically. */
  write(name: string, text: string): Promise<void>;
  /** Reads a small file. */
  read(name: string): Promise<string>;
  /** Copies a file to a local path. */
  fetch(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The SHA-256 of data that arrives in chunks. */
export async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest('hex');
}

export type Environment = Record<string, string | undefined>;

/** Whether a name means a place and not a single file. The name of a missing folder must end in a slash. */
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
