import { PetstoreError } from '../error.ts';
import { encodeJobs, type Job, type JobResult } from './jobs.ts';
import type { OpenedStore } from './opening/opened-store.ts';
import type { StoreWatch } from './opening/store-watch.ts';
import type { Failure, Outcome } from './writer-thread.ts';

/** Hands jobs to the writer thread. While one batch commits, the next one gathers. */
export interface Writer {
  /**
   * Resolves when the job's commit is on disk, with what `use` makes of its result. Fails with `overloaded` when the
   * queue is full.
   */
  run<Value>(job: Job, use: (result: JobResult) => Value): Promise<Value>;
  /** Waits for what was handed over, then ends the thread. */
  close(): Promise<void>;
}

export interface WriterOptions {
  store: OpenedStore;
  watch: Pick<StoreWatch, 'problem'>;
  /** Jobs that may wait, those being committed not counted. */
  maxQueuedJobs: number;
  /** What the thread runs. */
  program?: URL;
}

/** A batch holds the write lock while it runs; past this size it would make other processes wait long. */
const maxJobsPerBatch = 1000;
const restartAfterMs = 1000;

interface Waiting {
  job: Job;
  succeed: (result: JobResult) => void;
  reject: (error: unknown) => void;
}

export function openWriter(options: WriterOptions): Writer {
  const { store, watch, maxQueuedJobs, program } = options;
  let queued: Waiting[] = [];
  let committing: Waiting[] = [];
  let closing: PromiseWithResolvers<void> | undefined;
  let restart: Timer | undefined;
  let isSendPlanned = false;
  let thread: Worker | undefined = startThread();

  function startThread(): Worker {
    // The address stands here in full, because the one-file build looks for it.
    const worker = new Worker(program ?? new URL('./writer-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === 'closed') closing?.resolve();
      else settle(JSON.parse(data) as Outcome[]);
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      thread = undefined;
      // Whether the last batch was committed is unknown, so nobody is told that it was.
      const lost = [...committing, ...queued];
      committing = [];
      queued = [];
      for (const { reject } of lost) reject(threadLost(message));
      if (closing) closing.resolve();
      // After a pause: a thread that cannot start at all must not keep the serving thread busy with it.
      else restart = setTimeout(() => (thread = startThread()), restartAfterMs);
    };
    worker.postMessage(store);
    return worker;
  }

  function settle(outcomes: Outcome[]): void {
    const settled = committing;
    committing = [];
    sendNext();
    settled.forEach(({ succeed, reject }, index) => {
      const outcome = outcomes[index];
      try {
        if (isFailed(outcome)) reject(failureOf(outcome));
        else succeed(outcome);
      } catch (error) {
        reject(error);
      }
    });
  }

  function sendNext(): void {
    if (committing.length > 0) return;
    if (queued.length === 0) {
      if (closing) thread?.postMessage('close');
      return;
    }
    committing = queued.slice(0, maxJobsPerBatch);
    queued = queued.slice(maxJobsPerBatch);
    thread?.postMessage(encodeJobs(committing.map(({ job }) => job)));
  }

  /** So that the first job of a turn of the event loop is not committed without the others: 4 % of a create. */
  function sendAfterTurn(): void {
    if (isSendPlanned || committing.length > 0) return;
    isSendPlanned = true;
    setImmediate(() => {
      isSendPlanned = false;
      if (queued.length > 0) sendNext();
    });
  }

  return {
    run(job, use) {
      if (closing) return Promise.reject(new PetstoreError('unavailable', 'The store is closing.'));
      const problem = watch.problem();
      if (problem) return Promise.reject(problem);
      if (!thread) return Promise.reject(threadLost('It is being started again.'));
      // The first of a turn is on its way.
      const waitingCount = isSendPlanned ? queued.length - 1 : queued.length;
      if (waitingCount >= maxQueuedJobs) {
        return Promise.reject(
          new PetstoreError('overloaded', 'Too many writes are waiting. Try again shortly.'),
        );
      }
      return new Promise((resolve, reject) => {
        queued.push({ job, succeed: (result) => resolve(use(result)), reject });
        sendAfterTurn();
      });
    },
    async close() {
      if (!closing) {
        closing = Promise.withResolvers();
        clearTimeout(restart);
        if (thread) sendNext();
        else closing.resolve();
      }
      await closing.promise;
      thread?.terminate();
    },
  };
}

function isFailed(outcome: Outcome | undefined): outcome is { failure: Failure } | undefined {
  return outcome === undefined || (typeof outcome === 'object' && outcome !== null && 'failure' in outcome);
}

function failureOf(outcome: { failure: Failure } | undefined): Error {
  if (!outcome) return new Error('The writer thread gave no outcome.');
  const { code, message, detail } = outcome.failure;
  return new PetstoreError(code, message, { cause: new Error(detail) });
}

function threadLost(message: string): PetstoreError {
  return new PetstoreError('unavailable', 'The outcome of this write is unknown.', {
    cause: new Error(`The writer thread is gone: ${message}`),
  });
}

/** For jobs whose result says nothing. */
export function ignore(): void {}
