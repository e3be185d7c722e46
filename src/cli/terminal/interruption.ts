import { constants } from 'node:os';
import { stopSignals } from '../../server/signals.ts';

/** Lets a long command end at a moment that it chooses. A second signal ends it at once. */
export interface Interruption extends Disposable {
  /** The exit status that a shell expects after the signal; undefined while none has come. */
  readonly exitStatus: number | undefined;
}

export function watchForInterruption(): Interruption {
  let exitStatus: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const status = 128 + constants.signals[signal];
    if (exitStatus !== undefined) process.exit(status);
    exitStatus = status;
    // After a hangup there is no terminal left to write to, and that must not end the command sooner.
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
