import type { ApiKey, ApiKeyStore } from '../api-key.ts';
import type { PetStore } from '../pet.ts';
import { openWritable } from './file.ts';
import { createFreshness, watchCommits } from './fresh.ts';
import { createKeyStore } from './keys.ts';
import { createClaims } from './own-commits.ts';
import { PageCache } from './page-cache.ts';
import { createPetStore } from './pets.ts';
import { openWriter } from './writer.ts';

export interface SqliteStore {
  pets: PetStore;
  keys: ApiKeyStore;
  /** Waits for the writes that were handed over, then closes both connections. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  path: string;
  maxQueuedWrites?: number;
  now?: () => number;
}

/** Opens the store, making the file, its folder and its schema where they are missing. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, maxQueuedWrites = 10_000, now = Date.now } = options;
  const database = openWritable(path);
  // This connection belongs to the serving thread: it must never wait for a commit.
  database.run('PRAGMA query_only = ON');
  // In KiB. The default of 2 MB does not even hold the inner pages of ten million animals' index.
  database.run('PRAGMA cache_size = -16000');
  const pages = new PageCache();
  const kept = new Map<string, ApiKey>();
  const claims = createClaims();
  const freshness = createFreshness(database, watchCommits(database, path, claims), (isOwn) => {
    pages.clear();
    if (!isOwn) kept.clear();
  });
  const writer = openWriter({ path, claims, maxQueuedJobs: maxQueuedWrites });
  return {
    pets: createPetStore({ database, writer, freshness, pages, now }),
    keys: createKeyStore({ database, writer, freshness, kept, now }),
    async close() {
      await writer.close();
      freshness.close();
      database.close();
    },
  };
}
