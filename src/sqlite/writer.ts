import { PetstoreError } from '../error.ts';
import type { Job, JobResult } from './jobs.ts';
import type { Outcome } from './writer-thread.ts';

/** Hands jobs to the writer thread. While one batch commits, the next one gathers. */
export interface Writer {
  /** Resolves when the job's commit is on disk. Fails with `overloaded` when the queue is full. */
  run(job: Job): Promise<JobResult>;
  /** Waits for what was handed over, then ends the thread. */
  close(): Promise<void>;
}

export interface WriterOptions {
  path: string;
  /** Jobs that may wait, those being committed not counted. */
  maxQueuedJobs: number;
  onCommit: () => void;
}

/** A batch holds the write lock while it runs; past this size it would make other processes wait long. */
const maxJobsPerBatch = 1000;

interface Waiting {
  job: Job;
  resolve: (result: JobResult) => void;
  reject: (error: unknown) => void;
}

export function openWriter({ path, maxQueuedJobs, onCommit }: WriterOptions): Writer {
  let queued: Waiting[] = [];
  let committing: Waiting[] = [];
  let closing: PromiseWithResolvers<void> | undefined;
  let thread = startThread();

  function startThread(): Worker {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === 'closed') closing?.resolve();
      else settle(JSON.parse(data) as Outcome[]);
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      // Whether the last batch was committed is unknown, so nobody is told that it was.
      const lost = committing;
      committing = [];
      for (const { reject } of lost) reject(threadLost(message));
      thread = startThread();
      sendNext();
    };
    worker.postMessage(JSON.stringify({ open: path }));
    return worker;
  }

  function settle(outcomes: Outcome[]): void {
    const settled = committing;
    committing = [];
    onCommit();
    sendNext();
    settled.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome && 'result' in outcome) resolve(outcome.result);
      else reject(failureOf(outcome));
    });
  }

  function sendNext(): void {
    if (committing.length > 0) return;
    if (queued.length === 0) {
      if (closing) thread.postMessage(JSON.stringify({ close: true }));
      return;
    }
    committing = queued.slice(0, maxJobsPerBatch);
    queued = queued.slice(maxJobsPerBatch);
    thread.postMessage(JSON.stringify({ jobs: committing.map(({ job }) => job) }));
  }

  return {
    run(job) {
      if (closing) return Promise.reject(new PetstoreError('unavailable', 'The store is closing.'));
      if (queued.length >= maxQueuedJobs) {
        return Promise.reject(
          new PetstoreError('overloaded', 'Too many writes are waiting. Try again shortly.'),
        );
      }
      return new Promise((resolve, reject) => {
        queued.push({ job, resolve, reject });
        sendNext();
      });
    },
    async close() {
      if (!closing) {
        closing = Promise.withResolvers();
        sendNext();
      }
      await closing.promise;
      thread.terminate();
    },
  };
}

function failureOf(outcome: Outcome | undefined): Error {
  if (!outcome || !('failure' in outcome)) return new Error('The writer thread gave no outcome.');
  const { code, message, detail } = outcome.failure;
  return new PetstoreError(code, message, { cause: new Error(detail) });
}

function threadLost(message: string): PetstoreError {
  return new PetstoreError('unavailable', 'The outcome of this write is unknown.', {
    cause: new Error(`The writer thread died: ${message}`),
  });
}
