import { constants, type Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../domain/error.ts';
import { explainOpening, isBusy, noStore } from '../errors.ts';
import { refuseOlderSchema } from '../schema/migrate.ts';
import { openAlone, refuseLost, whenAlone } from './alone.ts';
import { refuseMissingPages, refuseUnusable } from './check-store.ts';
import { openDatabase, readWhenFree } from './connect.ts';
import { findExisting, holdsFrames, stateOf, type StoreFile } from './store-file.ts';

/** A connection that changes no byte of the store or its side files. */
export interface ReadOnlyStore {
  database: Database;
  /** Call it after reading. Fails when the store was written meanwhile and no lock of SQLite prevented that. */
  refuseChanged: () => void;
  close: () => void;
}

/** Opens a store that exists. Refuses one that cannot be used, or has to be migrated first. */
export function openForReading(name: string): ReadOnlyStore {
  const store = findExisting(name);
  if (!store) throw noStore(name);
  return retried(store, () => {
    const reading = open(store);
    try {
      refuseOlderSchema(refuseUnusable(reading.database, store), name);
      return reading;
    } catch (error) {
      reading.close();
      throw error;
    }
  });
}

/** Opens a store to read it in one go. The caller decides what is refused. */
export function readUnchanged<Result>(store: StoreFile, read: (database: Database) => Result): Result {
  return retried(store, () => {
    const { database, refuseChanged, close } = open(store);
    try {
      const result = read(database);
      refuseChanged();
      return result;
    } finally {
      close();
    }
  });
}

const maxAttempts = 10;
const pauseMs = 20;
/** It is waited for twice: see {@link retried}. */
const aloneMs = 1000;

/**
 * Reports a failure only if two attempts in a row fail on an unchanged store: where no lock applies, a concurrent write
 * can look like damage.
 */
function retried<Result>(store: StoreFile, attempt: () => Result): Result {
  let failedState: string | undefined;
  for (let count = 1; ; count++) {
    const before = stateOf(store);
    try {
      return attempt();
    } catch (error) {
      const isSettled = failedState === before && stateOf(store) === before;
      if (isSettled || isBusy(error) || count === maxAttempts) throw explainOpening(error, store);
      failedState = before;
      Bun.sleepSync(pauseMs);
    }
  }
}

/**
 * An ordinary connection rewrites the shared memory, and moves the log into the file when it is closed. A read-only one
 * leaves both alone if both side files exist; otherwise it needs one of the ways around below.
 */
function open(store: StoreFile): ReadOnlyStore {
  const { name, path } = store;
  if (existsSync(`${path}-journal`)) throw interrupted(name);
  const before = stateOf(store);
  if (holdsFrames(`${path}-wal`)) {
    const database = existsSync(`${path}-shm`)
      ? connectTo(store, 'readonly_shm')
      : whenAlone(store, () => openAlone(store), aloneMs);
    return opened(database, store);
  }
  // A kill can leave a log that is only a header. SQLite, read-only, waits for its first frame and gives up.
  try {
    refuseLost(store, aloneMs);
  } catch (error) {
    // A store that this user may not lock, as on a read-only disk, is read as it is.
    if (error instanceof OperatorError) throw error;
  }
  return opened(connectTo(store, 'immutable'), store, () => {
    if (stateOf(store) !== before) throw changed(name);
  });
}

function connectTo(store: StoreFile, way: 'readonly_shm' | 'immutable'): Database {
  const address = `${pathToFileURL(store.path).href}?${way}=1`;
  return openDatabase(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

function opened(database: Database, store: StoreFile, refuseChanged = (): void => {}): ReadOnlyStore {
  try {
    readWhenFree(database, store);
    refuseMissingPages(database, store);
    return { database, refuseChanged, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

function changed(name: string): OperatorError {
  return new OperatorError(`${name} was changed while it was being read.`, 'Run the same command again.');
}

function interrupted(name: string): OperatorError {
  return new OperatorError(
    `The last change of ${name} was interrupted.`,
    'Start the service, or run petstore keys list: SQLite undoes the change.',
  );
}
