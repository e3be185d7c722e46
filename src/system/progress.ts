import type { Log } from './log.ts';

/** Counts the parts of one step. Dispose of it when the step ends, even by an error. */
export interface Progress extends Disposable {
  add(count: number): void;
}

/** Shows a person what long work is doing. */
export interface Report {
  /** Begins a step of unknown length. */
  step(what: string): void;
  /** Begins a step with this many parts. */
  progress(what: string, total: number): Progress;
}

export const noProgress: Progress = { add() {}, [Symbol.dispose]() {} };

export const noReport: Report = { step() {}, progress: () => noProgress };

/** Logs a step's progress now and then, and how far it came. */
export function reportInLog(log: Log, everyMs = 60_000): Report {
  const progress = (what: string, total: number): Progress => {
    let done = 0;
    let loggedAt = performance.now();
    const show = (): void => log.info(what, { done, total });
    return {
      add(count) {
        done += count;
        if (performance.now() - loggedAt < everyMs) return;
        loggedAt = performance.now();
        show();
      },
      [Symbol.dispose]: show,
    };
  };
  return { step: (what) => log.info(what), progress };
}
