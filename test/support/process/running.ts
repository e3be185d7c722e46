import { collect } from './collect.ts';
import { cleanEnvironment, petstoreCommand } from './process.ts';

/** A command that is still running, to be watched, stopped or killed. */
export interface RunningCommand extends AsyncDisposable {
  kill(signal: NodeJS.Signals): void;
  /** Resolves once standard error matches; false when the command ended before. */
  untilSaid(pattern: RegExp): Promise<boolean>;
  readonly stderr: string;
  /** The exit status, or the signal that ended it, once all output has arrived. */
  ended: Promise<number | NodeJS.Signals>;
}

export function startCommand(args: string[], cwd: string): RunningCommand {
  const child = Bun.spawn(petstoreCommand(args), {
    cwd,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const stderr = collect(child.stderr);
  const ended = Promise.all([child.exited, stderr.ended]).then(([status]) => child.signalCode ?? status);
  return {
    kill: (signal) => child.kill(signal),
    untilSaid: (pattern) =>
      Promise.race([
        stderr.untilMatch(pattern).then(() => true),
        ended.then(() => pattern.test(stderr.text)),
      ]),
    get stderr() {
      return stderr.text;
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
