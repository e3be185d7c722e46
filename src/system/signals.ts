import { describeError, type Log } from './log.ts';

/** A terminal and npm may each send one Ctrl-C, so signals this close together count as one. */
const sameSignalMs = 500;

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once. SIGHUP keeps its default: a closed
 * terminal ends the process, except under `nohup`.
 */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMs) process.exit(1);
      resolve(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);
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
