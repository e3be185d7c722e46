import type { Database } from 'bun:sqlite';
import type { Outcome, TimedChange } from '../../domain/change.ts';
import { applyBatch, deleteExpired } from '../apply.ts';
import { connect, useWal, whenFree } from './connect.ts';
import { callerErrorOfCommit, describeFailure, storeMoved, type Failure } from './errors.ts';
import type { StoreFile } from './file.ts';
import { createTx } from './tx.ts';
import { confirmInPlace, isInPlace } from './watch.ts';

/** The thread that owns the writing connection. One disk sync serves all changes of a batch. */

/** The outcome of a batch. After a failure, none of it was written, unless the outcome is unknown. */
export type Reply = { outcomes: Outcome[] } | { failure: Failure };

declare const self: Worker;

let store: StoreFile;
let connection: ReturnType<typeof openConnection> | undefined;
/** Once true, nothing is written, even if the file comes back: others may have written in between. */
let isLost = false;

self.onmessage = async ({ data }: MessageEvent<StoreFile | TimedChange[] | 'close'>) => {
  if (data === 'close') {
    connection?.database.close();
    self.postMessage('closed');
  } else if (Array.isArray(data)) {
    // A batch never waits for anything outside this thread, so it ends before the next message is handled.
    self.postMessage(await runBatch(data));
  } else {
    store = data;
  }
};

/** Only commits in the file under the store's name may be acknowledged. */
async function runBatch(changes: TimedChange[]): Promise<Reply> {
  try {
    if (isLost) throw storeMoved(store);
    const open = (connection ??= openConnection());
    whenFree(() => open.begin.run());
    const outcomes = await open.apply(changes);
    open.commit();
    confirmInPlace(store);
    return { outcomes };
  } catch (error) {
    isLost ||= !isInPlace(store);
    // After a failed sync, the connection's memory cannot be trusted.
    if (connection) abandon(connection.database);
    connection = undefined;
    return { failure: describeFailure(error) };
  }
}

/**
 * The least that a batch may delete of each kind: a store shrinks soon after an import, and changes are not delayed.
 */
const leastExpired = 100;

function openConnection() {
  const database = connect(store);
  try {
    useWal(database);
    // `whenFree` does the waiting from here on.
    database.run('PRAGMA busy_timeout = 0');
    const commit = database.query('COMMIT');
    const tx = createTx(database);
    return {
      database,
      begin: database.query('BEGIN IMMEDIATE'),
      async apply(changes: TimedChange[]): Promise<Outcome[]> {
        const outcomes = await applyBatch(tx, changes);
        const at = changes.at(-1)?.at ?? 0;
        // Delete more than the batch adds, so that the store shrinks.
        await deleteExpired(tx, at, Math.max(leastExpired, 2 * changes.length));
        return outcomes;
      },
      commit: (): void => {
        try {
          commit.run();
        } catch (error) {
          throw callerErrorOfCommit(error);
        }
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
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
