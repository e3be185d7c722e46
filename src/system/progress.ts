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

export const noReport: Report = { step() {}, progress: () => ({ add() {}, [Symbol.dispose]() {} }) };

const drawEveryMs = 100;
const stream = process.stderr;
/** Clears the rest of a line that is written again. */
const clearRest = '\u001b[K';

/** Reports a command's progress: on a terminal, a line that is written again and again; elsewhere, a line for every tenth. */
export function reportProgress(what: string, total: number): Progress {
  let done = 0;
  let drawnAt = -Infinity;
  let reportedTenths = 0;
  const describe = (): string => `${what} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  const draw = (): void => {
    stream.write(`\r${describe()}${clearRest}`);
    drawnAt = performance.now();
  };
  return {
    add(count) {
      done += count;
      if (stream.isTTY) {
        if (performance.now() - drawnAt > drawEveryMs) draw();
        return;
      }
      const tenths = Math.floor((done * 10) / total);
      if (tenths > reportedTenths) stream.write(`${describe()}\n`);
      reportedTenths = tenths;
    },
    [Symbol.dispose]() {
      if (!stream.isTTY) return;
      draw();
      stream.write('\n');
    },
  };
}

/** Silent without a terminal, because cron mails everything that a command prints. */
export function reportOnTerminal(): Report {
  if (!stream.isTTY) return noReport;
  return {
    step(what) {
      stream.write(`${what} …\n`);
    },
    progress: reportProgress,
  };
}
