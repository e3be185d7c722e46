import { openSync, readFileSync } from 'node:fs';

/** A program from the system, such as a proxy, that a test needs beside the service. */
export interface Program extends AsyncDisposable {
  pid: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Rejects with the end of its log when it does not begin to work in time. */
  untilReady(isReady: () => Promise<boolean>, withinMs?: number): Promise<void>;
}

export interface ProgramOptions {
  env?: Record<string, string>;
  cwd?: string;
}

export function startProgram(command: string[], logFile: string, options: ProgramOptions = {}): Program {
  const log = openSync(logFile, 'a');
  const child = Bun.spawn(command, {
    stdio: ['ignore', log, log],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
  });
  const stop: Program['stop'] = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await child.exited;
  };
  return {
    pid: child.pid,
    stop,
    async untilReady(isReady, withinMs = 30_000) {
      const deadline = performance.now() + withinMs;
      while (!(await isReady().catch(() => false))) {
        if (child.exitCode === null && performance.now() < deadline) await Bun.sleep(50);
        else throw new Error(`${command[0]} does not work: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
      }
    },
    [Symbol.asyncDispose]: () => stop('SIGKILL'),
  };
}
