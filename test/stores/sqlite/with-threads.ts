import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../support/process/process.ts';

type Work = () => Promise<void>;

/** Threads that `work` starts run this program instead of their own. */
export async function withThreads(source: string, work: Work): Promise<void> {
  using folder = makeFolder();
  const program = join(folder.path, 'thread.ts');
  writeFileSync(program, source);
  await withWorker((Worker) => new Worker(program), work);
}

/** The system gives `work` no thread. */
export function withoutThreads(work: Work): Promise<void> {
  return withWorker(() => {
    throw new TypeError('Failed to spawn worker thread');
  }, work);
}

async function withWorker(start: (Real: typeof Worker) => Worker, work: Work): Promise<void> {
  const { Worker } = globalThis;
  globalThis.Worker = new Proxy(Worker, { construct: () => start(Worker) });
  try {
    await work();
  } finally {
    globalThis.Worker = Worker;
  }
}
