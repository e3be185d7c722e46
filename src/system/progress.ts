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
