import { SQLiteError, type Database } from 'bun:sqlite';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { ApiKey, ApiKeyStore } from '../api-key.ts';
import { OperatorError } from '../error.ts';
import type { PetStore } from '../pet.ts';
import { connect, makeDurable } from './connect.ts';
import { createFreshness } from './fresh.ts';
import { createKeyStore } from './keys.ts';
import { checkOwnership, migrate } from './migrate.ts';
import { createPetStore, PageCache } from './pets.ts';
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

/** Up to this size the whole file is checked for damage at start: about 50 ms. Larger ones are checked as they are read. */
const maxCheckedBytes = 16 * 1024 * 1024;

/** Opens the store, making the file, its folder and its schema where they are missing. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { path, maxQueuedWrites = 10_000, now = Date.now } = options;
  const database = openReader(path);
  const pages = new PageCache();
  const kept = new Map<string, ApiKey>();
  const freshness = createFreshness(database, () => {
    pages.clear();
    kept.clear();
  });
  const writer = openWriter({ path, maxQueuedJobs: maxQueuedWrites, onCommit: freshness.lookAgain });
  return {
    pets: createPetStore({ database, writer, freshness, pages, now }),
    keys: createKeyStore({ database, writer, freshness, kept, now }),
    async close() {
      await writer.close();
      database.close();
    },
  };
}

/** Versions before 3.51.3 can lose a commit when the WAL is reset while another connection writes. */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1_000_000 + minor * 1000 + patch < 3_051_003) {
    throw new OperatorError(
      `SQLite ${version} can lose acknowledged writes; 3.51.3 or newer is needed. Update Bun: npm install.`,
    );
  }
}

function openReader(path: string): Database {
  prepareFile(path);
  let database: Database | undefined;
  try {
    database = connect(path);
    const { version } = database.query('SELECT sqlite_version() AS version').get() as { version: string };
    refuseOldSqlite(version);
    checkOwnership(database, path);
    refuseDamage(database, path);
    makeDurable(database);
    migrate(database);
    // This connection belongs to the serving thread: it must never wait for a commit.
    database.run('PRAGMA query_only = ON');
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/** Makes the folder and the file readable by their owner alone; SQLite gives its side files the same rights. */
function prepareFile(path: string): void {
  const folder = dirname(path);
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      syncFolder(dirname(folder));
    }
    if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
    accessSync(folder, constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The store ${path} cannot be written (${code ?? message}). ` +
        'Give this user write rights to the folder and the file, or choose another file with --database-url.',
    );
  }
}

/** A new folder survives a power cut only when the folder that holds it is synced too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function refuseDamage(database: Database, path: string): void {
  if (statSync(path).size > maxCheckedBytes) return;
  const [found] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (found?.quick_check !== 'ok') throw damaged(path);
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof SQLiteError)) return error;
  if (error.code === 'SQLITE_NOTADB') {
    return new OperatorError(
      `${path} is not a database. Choose another file with --database-url, or move this one away.`,
    );
  }
  if (error.code?.startsWith('SQLITE_CORRUPT')) return damaged(path);
  return new OperatorError(`The store ${path} cannot be opened: ${error.message} (${error.code}).`);
}

function damaged(path: string): OperatorError {
  return new OperatorError(
    `The database ${path} is damaged. Nothing was changed. Move it away and put a backup in its place.`,
  );
}
