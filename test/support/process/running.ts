import { collect, type Collected } from './collect.ts';

/** A program that runs until it is done, stopped or killed. */
export interface RunningProgram extends AsyncDisposable {
  pid: number;
  stdout: Collected;
  stderr: Collected;
  /** The exit status, or the signal that ended it, once all output has arrived. */
  ended: Promise<number | NodeJS.Signals>;
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

export interface ProgramOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** After this long it is ended, so that none outlives the test run. */
  longestLifeMs?: number | undefined;
}

export function startProgram(command: string[], options: ProgramOptions): RunningProgram {
  const { cwd, env, longestLifeMs = 900_000 } = options;
  const child = Bun.spawn(command, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestLifeMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = Promise.all([child.exited, stdout.ended, stderr.ended]).then(
    ([status]) => child.signalCode ?? status,
  );
  const stop: RunningProgram['stop'] = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  const dispose = async () => void (await stop('SIGKILL'));
  return { pid: child.pid, stdout, stderr, ended, stop, [Symbol.asyncDispose]: dispose };
}
