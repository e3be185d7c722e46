import { PetstoreError, storeClosing } from '../domain/error.ts';
import type { Registry } from '../metrics/registry.ts';
import { createWriteMetrics } from '../metrics/writes.ts';
import { failureOf } from './errors.ts';
import type { Job, JobResult, ResultOf } from './jobs.ts';
import type { StoreFile } from './opening/find.ts';
import type { StoreWatch } from './opening/watch.ts';
import type { Outcome } from './writer-thread.ts';

/** Hands jobs to the writer thread. While one batch commits, the next one is collected. */
export interface Writer {
  /** Resolves once the job's commit is on disk. Fails with `overloaded` if the queue is full. */
  run<Asked extends Job>(job: Asked): Promise<ResultOf<Asked>>;
  /** Waits for pending jobs, then ends the thread. */
  close(): Promise<void>;
}

interface WriterOptions {
  store: StoreFile;
  watch: Pick<StoreWatch, 'problem'>;
  /** How many jobs may wait, not counting those being committed. */
  maxQueuedJobs: number;
  metrics?: Registry | undefined;
  /** Receives the outcome of each batch; undefined means success. */
  onWritten?: (failure: Error | undefined) => void;
}

/** A batch holds the write lock while it runs, so a larger one would make other processes wait. */
const maxJobsPerBatch = 1000;

interface QueuedJob extends PromiseWithResolvers<JobResult> {
  job: Job;
}

export function openWriter(options: WriterOptions): Writer {
  const { store, watch, maxQueuedJobs, metrics, onWritten } = options;
  let queued: QueuedJob[] = [];
  let committing: QueuedJob[] = [];
  let closing: PromiseWithResolvers<void> | undefined;
  let isSendPlanned = false;
  let sentAt = 0;
  const measured =
    metrics && createWriteMetrics(metrics, { length: () => queued.length, capacity: maxQueuedJobs });

  // Keep the URL literal here: the one-file build searches for it.
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url));
  thread.onmessage = ({ data }: MessageEvent<'closed' | Outcome[]>) => {
    if (data === 'closed') closing?.resolve();
    else settle(data);
  };
  // The thread catches every failure, so only a bug can end it.
  thread.onerror = ({ message }) => {
    throw new Error(`The writer thread died: ${message}`);
  };
  thread.postMessage(store);

  function settle(outcomes: Outcome[]): void {
    const settled = committing;
    measured?.commitSeconds.observe((performance.now() - sentAt) / 1000);
    committing = [];
    const [first] = outcomes;
    onWritten?.(first && 'failure' in first ? failureOf(first.failure) : undefined);
    sendNext();
    settled.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome && 'result' in outcome) resolve(outcome.result);
      else reject(outcome ? failureOf(outcome.failure) : new Error('The writer thread gave no outcome.'));
    });
  }

  function sendNext(): void {
    if (committing.length > 0) return;
    if (queued.length === 0) {
      if (closing) thread.postMessage('close');
      return;
    }
    committing = queued.slice(0, maxJobsPerBatch);
    queued = queued.slice(maxJobsPerBatch);
    if (measured) {
      measured.batchSize.observe(committing.length);
      sentAt = performance.now();
    }
    thread.postMessage(committing.map(({ job }) => job));
  }

  /** Waits for the end of the turn, so that all jobs of a turn are committed together. */
  function sendAfterTurn(): void {
    if (isSendPlanned || committing.length > 0) return;
    isSendPlanned = true;
    setImmediate(() => {
      isSendPlanned = false;
      if (queued.length > 0) sendNext();
    });
  }

  return {
    async run<Asked extends Job>(job: Asked) {
      if (closing) throw storeClosing();
      const problem = watch.problem();
      if (problem) throw problem;
      // Do not count the first job of a turn, which is about to be sent.
      const waitingCount = isSendPlanned ? queued.length - 1 : queued.length;
      if (waitingCount >= maxQueuedJobs) {
        throw new PetstoreError('overloaded', 'Too many writes are waiting. Try again shortly.');
      }
      const queuedJob = { job, ...Promise.withResolvers<JobResult>() };
      queued.push(queuedJob);
      sendAfterTurn();
      return queuedJob.promise as Promise<ResultOf<Asked>>;
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
