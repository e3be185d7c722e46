import { constants } from 'node:os';
import { untilStopSignal } from '../../system/signals.ts';

/** Lets a long command stop at a safe point. A second signal ends it at once. */
export const interruption: {
  /** The exit status that a shell expects after the signal; undefined before one arrives. */
  exitStatus?: number;
} = {};

export function watchForInterruption(): void {
  void untilStopSignal().then((signal) => {
    interruption.exitStatus = 128 + constants.signals[signal];
  });
}
