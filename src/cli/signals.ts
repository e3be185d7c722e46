import { describeError, type Log } from '../log.ts';

/** A terminal, npm and a parent may each pass on the same Ctrl-C; what comes this soon is no second one. */
const sameSignalMs = 1000;

/** Resolves with the name of the signal that asks the process to stop. A second one, later, ends it at once. */
export function untilToldToStop(): Promise<string> {
  return new Promise((resolve) => {
    let toldAt: number | undefined;
    const stop = (signal: string) => {
      toldAt ??= performance.now();
      if (performance.now() - toldAt > sameSignalMs) process.exit(1);
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/** The log redacts keys; the runtime's own crash report would not. */
export function catchCrashes(log: Log): void {
  const crash = (error: unknown) => {
    log.error('crash', { error: describeError(error) });
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
