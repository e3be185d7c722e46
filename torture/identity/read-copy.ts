import { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../test/support/process/process.ts';
import { copyByHand } from '../../test/support/crashed-store.ts';
import { foundPets, type FoundPet, type KnownKey } from './model.ts';

/** What SQLite itself makes of the files of a store. */
export interface Content {
  pets: FoundPet[];
  /** Whether each key is revoked, by its hash. */
  keys: Map<string, boolean>;
}

/** Reads a copy of a store that nobody uses, so that its own files stay as they are. Undefined when it is not sound. */
export function readCopy(path: string, suffixes = ['', '-wal']): Content | undefined {
  using folder = makeFolder();
  const copy = join(folder.path, 'copy.db');
  copyByHand(path, copy, suffixes);
  try {
    using database = new Database(copy, { readwrite: true, create: false });
    const [check] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    if (check?.integrity_check !== 'ok') return undefined;
    const rows = database.query<{ json: string }, []>('SELECT json FROM pets').all();
    const keys = database
      .query<{ hash: string; isRevoked: number }, []>(
        'SELECT hash, revoked_at IS NOT NULL AS isRevoked FROM api_keys',
      )
      .all();
    return {
      pets: foundPets(rows.map(({ json }) => JSON.parse(json))),
      keys: new Map(keys.map(({ hash, isRevoked }) => [hash, isRevoked === 1])),
    };
  } catch {
    return undefined;
  }
}

/** What is wrong with the keys of a store. */
export function compareKeys(known: Iterable<KnownKey>, found: Content['keys']): string[] {
  return [...known].flatMap(({ id, hash, isRevoked }) => {
    if (found.get(hash) === isRevoked) return [];
    if (!found.has(hash)) return [`key ${id} is lost`];
    return [isRevoked ? `key ${id} was revoked and can be used again` : `key ${id} is revoked by nobody`];
  });
}

/** Removes a store with what belongs to it. */
export function removeStore(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
