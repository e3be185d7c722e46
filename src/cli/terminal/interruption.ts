import { constants } from 'node:os';
import { stopSignals } from '../../server/signals.ts';

/** Lets a long command end where it is safe. A second signal ends it at once. */
export interface Interruption extends Disposable {
  /** The exit status that a shell expects after the signal; undefined before one arrives. */
  readonly exitStatus: number | undefined;
}

export function watchForInterruption(): Interruption {
  let exitStatus: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const status = 128 + constants.signals[signal];
    if (exitStatus !== undefined) process.exit(status);
    exitStatus = status;
    // After a hangup the terminal is gone; a failed write must not end the command early.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  };
  const signals = stopSignals();
  for (const signal of signals) process.on(signal, stop);
  return {
    get exitStatus() {
      return exitStatus;
    },
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
