import { join } from 'node:path';
import type { Program, Reply } from './python-host.ts';

export interface Python extends AsyncDisposable {
  /** Runs a program to its end and returns its output. Throws if it fails. One at a time. */
  run(program: Program): Promise<string>;
}

/**
 * CPython as WebAssembly, from npm: no machine needs a Python for the tests. It is a process of its own, because a
 * program blocks while it waits for the service, which runs in this one.
 */
export function openPython(): Python {
  let reply = Promise.withResolvers<Reply>();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'python-host.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => reply.resolve(message as Reply),
    onExit: (_child, status) => reply.resolve({ output: '', error: `Python ended with ${status}.` }),
  });
  return {
    async run(program) {
      reply = Promise.withResolvers();
      child.send(program);
      const { output, error } = await reply.promise;
      if (error !== undefined) throw new Error(`${program.code}\n${output}${error}`);
      return output;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}
