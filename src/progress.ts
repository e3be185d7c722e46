/** How far a step of long work is; disposed of when it ends, well or badly. */
export interface Progress extends Disposable {
  add(count: number): void;
}

/** Tells a person what long work is doing. */
export interface Report {
  /** It begins something that takes as long as it takes. */
  step(what: string): void;
  /** It begins something that has so many parts. */
  progress(what: string, total: number): Progress;
}

export const noProgress: Progress = { add() {}, [Symbol.dispose]() {} };

/** For work that nobody watches. */
export const noReport: Report = { step() {}, progress: () => noProgress };
