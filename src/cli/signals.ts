import { describeError, type Log } from '../log.ts';

/** Resolves with the name of the signal that asks the process to stop. A second one ends it at once. */
export function untilToldToStop(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: string) => {
      if (isStopping) process.exit(1);
      isStopping = true;
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
