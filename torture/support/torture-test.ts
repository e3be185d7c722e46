/** One way of breaking the machine, and what must hold all the same. */
export interface TortureTest {
  name: string;
  /** What is done, for the table of the results. */
  description: string;
  passesWhen: string;
  /** How many rounds make a full run, and what a round is. */
  rounds: number;
  unit: string;
  /** Why it cannot run on this machine, and how to change that. */
  missing?: () => string | undefined;
  run: Run;
  control: Control;
}

export type Run = (options: RunOptions) => Promise<Outcome>;

export interface RunOptions {
  rounds: number;
  seed: number;
  /** Says how far it has come. */
  report: (progress: string) => void;
  /** False where the speed of the machine must not decide: counts and states are judged, times are not. */
  isTimed?: boolean;
  /** What breaks the service in a control: see `againstBroken`. */
  broken?: string | undefined;
}

/** The same test against something that is broken on purpose: it must find faults. */
export interface Control {
  /** What is broken. */
  description: string;
  rounds: number;
  run: Run;
}

export interface Outcome {
  figures: Figures;
  /** What went against the promise; empty when the test has passed. */
  faults: string[];
  /** What happened over time. */
  table?: Table;
}

export interface Table {
  head: string[];
  rows: string[][];
}

export type Figures = Record<string, string | number>;
