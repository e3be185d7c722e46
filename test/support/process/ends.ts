import { join } from 'node:path';

const longestMs = 60_000;

/**
 * Whether a program comes to its end. It runs in a process of its own, which can be ended; what takes a thousand times
 * too long is found out on every machine, what takes twice too long on none.
 */
export function comesToItsEnd(program: string): boolean {
  const { exitCode } = Bun.spawnSync([process.execPath, '-e', program], {
    cwd: join(import.meta.dir, '../../../src'),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  return exitCode === 0;
}
