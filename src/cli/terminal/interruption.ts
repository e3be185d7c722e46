import { constants } from 'node:os';
import { stopSignals, untilStopSignal } from '../../system/signals.ts';

/** Lets a long command stop at a safe point. A second signal ends it at once. */
export const interruption: {
  /** The exit status that a shell expects after the signal; undefined before one arrives. */
  exitStatus?: number;
} = {};

export function watchForInterruption(): void {
  void untilStopSignal(stopSignals()).then((signal) => {
    interruption.exitStatus = 128 + constants.signals[signal];
    // After a hangup, the terminal is gone; a failed write must not end the command early.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  });
}
