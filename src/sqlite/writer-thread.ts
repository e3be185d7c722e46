import type { Database, Statement } from 'bun:sqlite';
import { PetstoreError, type ErrorCode } from '../domain/error.ts';
import { describeError } from '../domain/log.ts';
import { connect, makeDurable, whenFree } from './opening/connect.ts';
import { outcomeUnknown, refuseMoved, storeMoved, translateCommitError, translateError } from './errors.ts';
import { createJobRunner, type Job, type JobResult, type JobRunner } from './jobs.ts';
import { isInPlace, type StoreFile } from './opening/store-file.ts';
import { refuseLongLog } from './log-limit.ts';

/** The thread that owns the writing connection. One sync of the disk serves everybody whose job is in a batch. */

export interface Failure {
  code: ErrorCode;
  message: string;
  /** The whole error, for the log. */
  detail: string;
}

/** Batches and outcomes cross between the threads as JSON, which is cheaper than a structured clone. */
export type Outcome = { result: JobResult } | { failure: Failure };

declare const self: Worker;

interface Connection {
  database: Database;
  begin: Statement;
  commit: Statement;
  runner: JobRunner;
}

let store: StoreFile;
let connection: Connection | undefined;

self.onmessage = ({ data }: MessageEvent<StoreFile | string>) => {
  if (typeof data !== 'string') {
    store = data;
  } else if (data === 'close') {
    connection?.database.close();
    self.postMessage('closed');
  } else {
    self.postMessage(JSON.stringify(runBatch(JSON.parse(data) as Job[])));
  }
};

function runBatch(jobs: Job[]): Outcome[] {
  try {
    return commitTogether(jobs);
  } catch (error) {
    const failure = describeFailure(error);
    // One bad job must not fail the others; a full disk fails them all.
    if (failure.code !== 'unavailable' && jobs.length > 1) return jobs.flatMap((job) => runBatch([job]));
    return jobs.map(() => ({ failure }));
  }
}

function commitTogether(jobs: Job[]): Outcome[] {
  connection ??= openConnection();
  const { database, begin, runner } = connection;
  refuseMoved(store);
  refuseLongLog(database, store.path);
  try {
    whenFree(() => begin.run());
    runner.begin();
    const outcomes = jobs.map((job) => ({ result: runner.run(job) }));
    commit(connection);
    return outcomes;
  } catch (error) {
    // After a failed sync, the connection's memory cannot be trusted: start again with a new connection.
    connection = undefined;
    abandon(database);
    throw error;
  }
}

/** Only what is in the file under the store's name may be acknowledged. */
function commit(open: Connection): void {
  try {
    open.commit.run();
  } catch (error) {
    throw translateCommitError(error);
  }
  if (!isInPlace(store)) throw outcomeUnknown('The store was moved', storeMoved(store));
}

/** A new connection follows the path, where another file may be now. */
function openConnection(): Connection {
  refuseMoved(store);
  const database = connect(store);
  try {
    makeDurable(database);
    // The jobs check a pet's status themselves, which costs less than SQLite's check.
    database.run('PRAGMA ignore_check_constraints = ON');
    // From here on, `whenFree` waits.
    database.run('PRAGMA busy_timeout = 0');
    return {
      database,
      begin: database.query('BEGIN IMMEDIATE'),
      commit: database.query('COMMIT'),
      runner: createJobRunner(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function abandon(database: Database): void {
  try {
    if (database.inTransaction) database.run('ROLLBACK');
  } finally {
    database.close();
  }
}

function describeFailure(error: unknown): Failure {
  const translated = translateError(error);
  const detail = describeError(translated);
  return translated instanceof PetstoreError
    ? { code: translated.code, message: translated.message, detail }
    : { code: 'internal', message: 'The write failed.', detail };
}
