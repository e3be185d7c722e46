/** A bar on a terminal; elsewhere a line now and then. */
export interface Progress {
  /** Begins a step, which may be longer than others. */
  step(label: string, length?: number): void;
  finish(): void;
}

const width = 24;

export function createProgress(
  totalLength: number,
  write = (text: string) => process.stderr.write(text),
): Progress {
  const startedAt = performance.now();
  const isTerminal = process.stderr.isTTY ?? false;
  let done = 0;
  let shownTenth = -1;

  return {
    step(label, length = 1) {
      const share = done / totalLength;
      const passedMs = performance.now() - startedAt;
      const left =
        done === 0
          ? 'measuring how long it takes'
          : `${describeMs((passedMs / done) * (totalLength - done))} left`;
      done += length;
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '-');
      const line = `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${left}  ${label}`;
      if (isTerminal) {
        write(`\r${line.slice(0, process.stderr.columns - 1)}\u001B[K`);
      } else if (Math.floor(share * 10) > shownTenth) {
        shownTenth = Math.floor(share * 10);
        write(`${line}\n`);
      }
    },
    finish() {
      if (isTerminal) write('\r\u001B[K');
      write(`Measured for ${describeMs(performance.now() - startedAt)}.\n`);
    },
  };
}

function describeMs(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
