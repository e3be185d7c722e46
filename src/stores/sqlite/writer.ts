import type { Outcome, TimedChange } from '../../domain/change.ts';
import { type Batcher, createBatcher, defaultMaxLength } from '../batcher.ts';
import type { StoreOptions } from '../create-store.ts';
import { createWriteMonitor } from '../write-monitor.ts';
import { failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { StoreWatch } from './watch.ts';
import type { Reply } from './writer-thread.ts';

interface WriterOptions extends Pick<StoreOptions, 'maxQueuedWrites' | 'log' | 'metrics'> {
  /** Called after each batch, before its callers go on. */
  onReply?: () => void;
}

/** Hands changes to the writer thread, in batches. Each resolves once its commit is on disk. */
export function openWriter(
  store: StoreFile,
  watch: Pick<StoreWatch, 'problem'>,
  { maxQueuedWrites = defaultMaxLength, log, metrics, onReply }: WriterOptions,
) {
  // Keep the URL literal here: the one-file build searches for it.
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url));
  let replied: PromiseWithResolvers<Reply>;
  thread.onmessage = ({ data }: MessageEvent<Reply>) => replied.resolve(data);
  // The thread catches every failure, so only a bug can end it.
  thread.onerror = ({ message }) => {
    throw new Error(`The writer thread died: ${message}`);
  };
  thread.postMessage(store);

  const send = (message: TimedChange[] | 'close'): Promise<Reply> => {
    replied = Promise.withResolvers();
    thread.postMessage(message);
    return replied.promise;
  };

  const commit = async (changes: TimedChange[]): Promise<Outcome[]> => {
    const problem = watch.problem();
    if (problem) throw problem;
    const reply = await send(changes);
    onReply?.();
    if ('failure' in reply) throw failureOf(reply.failure);
    return reply.outcomes;
  };

  const monitor = createWriteMonitor(
    { length: (): number => batcher.length, capacity: maxQueuedWrites },
    { log, metrics },
  );
  const batcher: Batcher<TimedChange, Outcome> = createBatcher(commit, {
    startsAfterTurn: true,
    // The first change of a turn waits for its end, too.
    maxLength: maxQueuedWrites + 1,
    monitor,
  });

  return {
    apply: (change: TimedChange) => batcher.add(change),
    areWritesFailing: () => monitor.isFailing,
    /** Waits for pending changes, then ends the thread. */
    async close(): Promise<void> {
      await batcher.close();
      await send('close');
      thread.terminate();
    },
  };
}
