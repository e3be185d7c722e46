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
  let stderr = '';
  let wake: () => void = () => {};
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      stderr += decoder.decode(chunk, { stream: true });
      wake();
    }
  })();
  const ended = Promise.all([child.exited, read]).then(([status]) => child.signalCode ?? status);
  const watched = { isEnded: false };
  void ended.then(() => {
    watched.isEnded = true;
    wake();
  });
  return {
    kill: (signal) => child.kill(signal),
    async untilSaid(pattern) {
      while (!pattern.test(stderr) && !watched.isEnded)
        await new Promise<void>((resolve) => (wake = resolve));
      return pattern.test(stderr);
    },
    get stderr() {
      return stderr;
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
