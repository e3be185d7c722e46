import { join } from 'node:path';
import type { OpenedTester } from './tester.ts';

/**
 * A tester that is a library for Node, in one process for all runs because it takes seconds to load. The script gets the
 * arguments, and a message for each run; it sends back the complaints.
 */
export function openNodeWorker(script: string, ...args: string[]): OpenedTester {
  let result = Promise.withResolvers<string[]>();
  const worker = Bun.spawn(['node', join(import.meta.dir, script), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    serialization: 'json',
    ipc: (complaints) => result.resolve(complaints as string[]),
    onExit: () => result.reject(new Error(`${script} ended.`)),
  });
  // It may end while nobody waits for it; the next run then says so.
  result.promise.catch(() => {});
  return {
    run() {
      result = Promise.withResolvers<string[]>();
      worker.send('run');
      return result.promise;
    },
    async [Symbol.asyncDispose]() {
      worker.kill();
      await worker.exited;
    },
  };
}
