import type { Database, Statement } from 'bun:sqlite';
import { connect, makeDurable, translateError, whenFree } from './connect.ts';
import { PetstoreError, type ErrorCode } from '../error.ts';
import { describeError } from '../log.ts';
import {
  createJobRunner,
  decodeJobs,
  onlyAddedPets,
  type Job,
  type JobResult,
  type JobRunner,
} from './jobs.ts';
import { refuseLongLog } from './wal/limit.ts';
import { createClaiming, type Claiming, type SharedClaims } from './own-commits.ts';
import { mapWalIndex } from './wal/header.ts';

/**
 * The thread that owns the writing connection. It gets a batch of jobs, commits them together and
 * answers with their results in the same order: one sync of the disk serves everybody who waited.
 */

export interface Failure {
  code: ErrorCode;
  message: string;
  /** For the log: the whole error. */
  detail: string;
}

export type Outcome = JobResult | { failure: Failure };

declare const self: Worker;

interface Connection {
  database: Database;
  begin: Statement;
  commit: Statement;
  runner: JobRunner;
}

/** What the thread gets first. */
export interface Opening {
  path: string;
  claims: SharedClaims;
}

let opening: Opening;
let connection: Connection | undefined;
let claiming: Claiming | undefined;

self.onmessage = ({ data }: MessageEvent<Opening | string>) => {
  if (typeof data !== 'string') {
    opening = data;
  } else if (data === 'close') {
    connection?.database.close();
    self.postMessage('closed');
  } else {
    self.postMessage(JSON.stringify(runBatch(decodeJobs(data))));
  }
};

function runBatch(jobs: Job[]): Outcome[] {
  try {
    return commitTogether(jobs);
  } catch (error) {
    const failure = describeFailure(error);
    // One job that cannot be done must not take the others with it; a disk that is full takes all.
    if (failure.code !== 'unavailable' && jobs.length > 1) return jobs.flatMap((job) => runBatch([job]));
    return jobs.map(() => ({ failure }));
  }
}

function commitTogether(jobs: Job[]): JobResult[] {
  connection ??= openConnection();
  const { database, begin, commit, runner } = connection;
  refuseLongLog(database, opening.path);
  try {
    takeLock(begin);
    claiming?.begin();
    runner.begin();
    const results = jobs.map((job) => runner.run(job));
    commit.run();
    if (onlyAddedPets(jobs, results)) claiming?.claim();
    return results;
  } catch (error) {
    // After a failed sync nobody knows what the connection's memory is worth: begin again with a new one.
    connection = undefined;
    abandon(database);
    throw error;
  }
}

function takeLock(begin: Statement): void {
  whenFree(() => begin.run());
}

function openConnection(): Connection {
  const database = connect(opening.path);
  makeDurable(database);
  claiming ??= claimCommits();
  // The jobs check the status of an animal themselves; SQLite takes 1.5 of the 4 µs of an insert for it.
  database.run('PRAGMA ignore_check_constraints = ON');
  // From here on `takeLock` does the waiting.
  database.run('PRAGMA busy_timeout = 0');
  return {
    database,
    begin: database.query('BEGIN IMMEDIATE'),
    commit: database.query('COMMIT'),
    runner: createJobRunner(database),
  };
}

/** Once for the thread: what is mapped stays mapped. Where it cannot be, no commit is claimed, and no write fails for it. */
function claimCommits(): Claiming | undefined {
  try {
    const index = mapWalIndex(opening.path);
    return index && createClaiming(index, opening.claims);
  } catch {
    return undefined;
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
