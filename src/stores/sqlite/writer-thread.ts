import type { Database, Statement } from 'bun:sqlite';
import { PetstoreError } from '../../domain/error.ts';
import { sizeOf } from '../../system/files.ts';
import { createApply, type ApplyBatch, type Write, type WriteResult } from './apply.ts';
import { connect, useWal } from './connect.ts';
import { describeFailure, isBusy, storeMoved, callerErrorOfCommit, type Failure } from './errors.ts';
import type { StoreFile } from './file.ts';
import { isInPlace, whenFree, whileInPlace } from './watch.ts';

/** The thread that owns the writing connection. One disk sync serves all writes of a batch. */

/** What became of a batch. After a failure, none of it was written. */
export type Reply = { results: WriteResult[] } | { failure: Failure };

declare const self: Worker;

interface Connection {
  database: Database;
  begin: Statement;
  commit: Statement;
  apply: ApplyBatch;
}

let store: StoreFile;
let connection: Connection | undefined;
/** Once true, nothing is written, even if the file comes back: others may have written in between. */
let isLost = false;
/** Whether the last batch timed out on another process's lock. Until a batch gets the lock, the next ones wait less. */
let isLocked = false;
const shortWait = { waitMs: 100 };

self.onmessage = ({ data }: MessageEvent<StoreFile | Write[] | 'close'>) => {
  if (data === 'close') {
    connection?.database.close();
    self.postMessage('closed');
  } else if (Array.isArray(data)) {
    self.postMessage(runBatch(data));
  } else {
    store = data;
  }
};

function runBatch(writes: Write[]): Reply {
  try {
    return { results: commitTogether(writes) };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

/** Only commits in the file under the store's name may be acknowledged. */
function commitTogether(writes: Write[]): WriteResult[] {
  try {
    if (isLost) throw storeMoved(store);
    return whileInPlace(store, () => {
      connection ??= openConnection();
      const { database, begin, apply } = connection;
      refuseLongLog(database);
      whenFree(() => begin.run(), isLocked ? shortWait : {});
      isLocked = false;
      const results = apply(writes);
      commit(connection);
      return results;
    });
  } catch (error) {
    isLost ||= !isInPlace(store);
    isLocked = isBusy(error);
    // After a failed sync, the connection's memory cannot be trusted.
    const failed = connection;
    connection = undefined;
    if (failed) abandon(failed.database);
    throw error;
  }
}

function commit(open: Connection): void {
  try {
    open.commit.run();
  } catch (error) {
    throw callerErrorOfCommit(error);
  }
}

function openConnection(): Connection {
  const database = connect(store);
  try {
    useWal(database);
    // `whenFree` does the waiting from here on.
    database.run('PRAGMA busy_timeout = 0');
    return {
      database,
      begin: database.query('BEGIN IMMEDIATE'),
      commit: database.query('COMMIT'),
      apply: createApply(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Generous: a backup or an export holds a snapshot for seconds, and the log grows by a small part of this. */
const maxLogBytes = 2 * 1024 * 1024 * 1024;

/**
 * While a reader holds a snapshot, SQLite cannot restart the log, and every write makes it longer until the disk is
 * full. Beyond the limit, writes are refused until the reader is gone. Each refused write tries to empty the log,
 * because nothing else would.
 */
function refuseLongLog(database: Database): void {
  const log = `${store.path}-wal`;
  if (sizeOf(log) <= maxLogBytes) return;
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = sizeOf(log);
  if (bytes <= maxLogBytes) return;
  throw new PetstoreError(
    'unavailable',
    'A long-running reader blocks writes to the store. Try again later.',
    {
      cause: new Error(
        `${log} has grown to ${bytes} bytes, because a program has held a snapshot of the store for long. ` +
          'Writes resume when it ends. End it, or wait: fuser -v names the programs that have the file open.',
      ),
    },
  );
}

/** Never throws, so that the caller sees why the batch failed. */
function abandon(database: Database): void {
  try {
    if (database.inTransaction) database.run('ROLLBACK');
  } catch {
    // The connection is abandoned in any case.
  }
  database.close();
}
