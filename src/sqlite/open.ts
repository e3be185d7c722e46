import type { ApiKey, ApiKeyStore } from '../api-key.ts';
import type { Log } from '../log.ts';
import type { PetStore } from '../pet.ts';
import { createFreshness, watchCommits } from './fresh.ts';
import { createKeyStore } from './keys.ts';
import { openWritable } from './opening/opened-store.ts';
import { PageCache } from './page-cache.ts';
import { createPetStore } from './pets.ts';
import { watchStore } from './opening/store-watch.ts';
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
  log?: Log | undefined;
}

/** Opens the store, making the file, its folder and its schema where they are missing. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, maxQueuedWrites = 10_000, now = Date.now, log } = options;
  const { store, database } = openWritable(path);
  // This connection belongs to the serving thread: it must never wait for a commit.
  database.run('PRAGMA query_only = ON');
  // In KiB. The default of 2 MB does not even hold the inner pages of ten million pets' index.
  database.run('PRAGMA cache_size = -16000');
  const pages = new PageCache();
  const kept = new Map<string, ApiKey>();
  const watch = watchStore(store, log);
  const freshness = createFreshness(database, watchCommits(database, store.path), watch, () => {
    pages.clear();
    kept.clear();
  });
  const writer = openWriter({ store, watch, maxQueuedJobs: maxQueuedWrites });
  return {
    pets: createPetStore({ database, writer, freshness, pages, now }),
    keys: createKeyStore({ database, writer, freshness, kept, now }),
    async close() {
      await writer.close();
      watch.close();
      freshness.close();
      database.close();
    },
  };
}
