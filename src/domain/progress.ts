/** Counts the parts of one step of long work. Dispose of it when the step ends, however it ends. */
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

/** For work that nobody watches. */
export const noReport: Report = { step() {}, progress: () => noProgress };
