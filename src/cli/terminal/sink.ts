import { OperatorError } from '../../error.ts';

/** Standard output for much text: waits while the reader is slower than we are. */
export interface Sink {
  /** False when the reader has gone, as `head` does: then nobody wants the rest. */
  write(text: string): Promise<boolean>;
}

export function openStandardOutput(): Sink {
  let failure: NodeJS.ErrnoException | undefined;
  let wake: (() => void) | undefined;
  process.stdout.on('error', (error) => {
    failure = error;
    wake?.();
  });
  process.stdout.on('drain', () => wake?.());
  return {
    async write(text) {
      const hasRoom = failure === undefined && process.stdout.write(text);
      if (!hasRoom && failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
      if (failure === undefined) return true;
      if (failure.code === 'EPIPE') return false;
      throw new OperatorError(`Standard output cannot be written (${failure.code ?? failure.message}).`);
    },
  };
}
