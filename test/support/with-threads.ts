import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './process/process.ts';

/** Threads that `work` starts run this program instead of their own. */
export async function withThreads(source: string, work: () => Promise<void>): Promise<void> {
  using folder = makeFolder();
  const program = join(folder.path, 'thread.ts');
  writeFileSync(program, source);
  const { Worker } = globalThis;
  globalThis.Worker = class extends Worker {
    constructor() {
      super(program);
    }
  };
  try {
    await work();
  } finally {
    globalThis.Worker = Worker;
  }
}
