import { PetstoreError, storeClosing, unavailable } from '../../domain/error.ts';
import { type Failure, failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { Bound } from './statements.ts';
import type { StoreWatch } from './watch.ts';

export type SearchReply = { rows: unknown[] } | { failure: Failure };

/** A search among a million pets takes a fraction of a second; callers behind more than these would give up. */
const maxWaiting = 32;
const maxWaitMs = 3000;

interface Waiting extends PromiseWithResolvers<unknown[]> {
  bound: Bound;
  timer?: Timer;
}

/** Runs scans, which may read many rows, one at a time, on a thread of their own. */
export function openSearcher(store: StoreFile, watch: Pick<StoreWatch, 'problem'>) {
  /** In the order of their arrival. */
  const waiting = new Set<Waiting>();
  let running: Waiting | undefined;
  let thread: Worker | undefined;
  let closing: PromiseWithResolvers<void> | undefined;

  const startThread = (): Worker => {
    // Keep the URL literal here: the one-file build searches for it.
    const worker = new Worker(new URL('./search-thread.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<'closed' | SearchReply>) => {
      if (data === 'closed') return closing?.resolve();
      const problem = watch.problem();
      const error = problem ?? ('failure' in data ? failureOf(data.failure) : undefined);
      if (error) running?.reject(error);
      else if ('rows' in data) running?.resolve(data.rows);
      sendNext();
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      failRunning(message);
    };
    worker.postMessage(store);
    return worker;
  };

  /** A thread may fail to start, for example without a free descriptor. The next search starts another. */
  const failRunning = (reason: unknown): void => {
    thread = undefined;
    running?.reject(unavailable(new Error(`The search thread is gone: ${String(reason)}`)));
    sendNext();
  };

  const sendNext = (): void => {
    [running] = waiting;
    if (running) {
      waiting.delete(running);
      clearTimeout(running.timer);
      try {
        (thread ??= startThread()).postMessage(running.bound);
      } catch (error) {
        // The system had no thread to give.
        failRunning(error);
      }
    } else if (thread && closing) thread.postMessage('close');
    else closing?.resolve();
  };

  return {
    /**
     * Fails with `overloaded` if too many searches wait or this one waits too long. Does not start once `signal` is
     * aborted.
     */
    async search<Row>(bound: Bound, signal?: AbortSignal): Promise<Row[]> {
      const problem = closing ? storeClosing() : watch.problem();
      if (problem) throw problem;
      if (waiting.size >= maxWaiting || signal?.aborted) throw tooManyWaiting();
      const next: Waiting = { bound, ...Promise.withResolvers<unknown[]>() };
      const leave = (): void => {
        if (waiting.delete(next)) next.reject(tooManyWaiting());
      };
      waiting.add(next);
      next.timer = setTimeout(leave, maxWaitMs).unref();
      signal?.addEventListener('abort', leave);
      if (!running) sendNext();
      return next.promise as Promise<Row[]>;
    },
    /** Waits for the running search, then ends the thread. */
    async close(): Promise<void> {
      if (!closing) {
        closing = Promise.withResolvers();
        for (const { reject } of waiting) reject(storeClosing());
        waiting.clear();
        if (!running) sendNext();
      }
      await closing.promise;
      thread?.terminate();
    },
  };
}

function tooManyWaiting(): PetstoreError {
  return new PetstoreError('overloaded', 'Too many searches are waiting. Try again shortly.');
}
