import { constants } from 'node:os';
import { noReport, type Report } from '../../system/progress.ts';
import { untilStopSignal } from '../../system/signals.ts';
import { visible } from './output.ts';

const drawEveryMs = 100;
const stream = process.stderr;
/** Clears the rest of a line that is written again. */
const clearRest = '\u001b[K';

/** Reports a command's progress: on a terminal, a line that is written again and again; elsewhere, a line for every tenth. */
export function reportProgress(
  what: string,
  total: number,
  /** The work of an earlier run, which is left out of the rate. */
  doneBefore = 0,
) {
  const startedAt = performance.now();
  let done = doneBefore;
  let drawnAt = -Infinity;
  let reportedTenths = Math.floor((done * 10) / total);

  const describe = (): string => {
    const elapsedMs = Math.max(1, performance.now() - startedAt);
    const perMs = (done - doneBefore) / elapsedMs;
    const remaining = perMs > 0 && done < total ? `, ${duration((total - done) / perMs)} left` : '';
    return `${what} ${countText(done)} of ${countText(total)}, ${countText(perMs * 1000)}/s${remaining}`;
  };

  const draw = (): void => {
    stream.write(`\r${describe()}${clearRest}`);
    drawnAt = performance.now();
  };

  return {
    add(count: number) {
      done += count;
      if (stream.isTTY) {
        if (performance.now() - drawnAt > drawEveryMs) draw();
        return;
      }
      const tenths = Math.floor((done * 10) / total);
      if (tenths > reportedTenths) stream.write(`${describe()}\n`);
      reportedTenths = tenths;
    },
    /** Prints a line above it. */
    report(text: string) {
      stream.write(stream.isTTY ? `\r${clearRest}${visible(text)}\n` : `${visible(text)}\n`);
      // The next step draws it again.
      drawnAt = -Infinity;
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

function countText(count: number): string {
  return Math.round(count).toLocaleString('en');
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

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
