import type { Outcome, TimedChange } from '../../domain/change.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { type Batcher, createBatcher, createWriteMonitor } from '../batcher.ts';
import { failureOf } from './errors.ts';
import type { StoreFile } from './file.ts';
import type { StoreWatch } from './watch.ts';
import type { Statement, Reply, Write, WriteResult } from './writer-thread.ts';

export type Writer = ReturnType<typeof openWriter>;

interface WriterOptions {
  store: StoreFile;
  watch: Pick<StoreWatch, 'problem'>;
  /** How many writes may wait, not counting those being committed. */
  maxQueuedWrites: number;
  log?: Log | undefined;
  metrics?: Registry | undefined;
  /** Called once a batch is written, or has failed, and before its callers go on. */
  onReply?: () => void;
}

/** Hands writes to the writer thread, in batches. Each resolves once its commit is on disk. */
export function openWriter(options: WriterOptions) {
  const { store, watch, maxQueuedWrites, log, metrics, onReply } = options;
  // Keep the URL literal here: the one-file build searches for it.
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url));
  let replied: PromiseWithResolvers<Reply>;
  thread.onmessage = ({ data }: MessageEvent<Reply>) => replied.resolve(data);
  // The thread catches every failure, so only a bug can end it.
  thread.onerror = ({ message }) => {
    throw new Error(`The writer thread died: ${message}`);
  };
  thread.postMessage(store);

  const send = (message: Write[] | 'close'): Promise<Reply> => {
    replied = Promise.withResolvers();
    thread.postMessage(message);
    return replied.promise;
  };

  const commit = async (writes: Write[]): Promise<WriteResult[]> => {
    const problem = watch.problem();
    if (problem) throw problem;
    const reply = await send(writes);
    onReply?.();
    if ('failure' in reply) throw failureOf(reply.failure);
    return reply.results;
  };

  const monitor = createWriteMonitor(
    { length: () => batches.length, capacity: maxQueuedWrites },
    { log, metrics },
  );
  const batches: Batcher<Write, WriteResult> = createBatcher(commit, {
    startsAfterTurn: true,
    // The first write of a turn waits for its end, too.
    maxLength: maxQueuedWrites + 1,
    monitor,
  });

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await batches.close();
    await send('close');
    thread.terminate();
  };

  return {
    apply: (change: TimedChange) => batches.add(change) as Promise<Outcome>,
    async execute(sql: string, values: Statement['values']): Promise<void> {
      await batches.add({ kind: 'execute', sql, values });
    },
    areFailing: () => monitor.isFailing,
    /** Waits for pending writes, then ends the thread. */
    close: () => (closed ??= close()),
  };
}
