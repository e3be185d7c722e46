import { OperatorError } from '../../domain/error.ts';

/** Writes text and waits for a slow reader. False when the reader is gone, as after `| head`, and wants no more. */
export type Sink = (text: string) => Promise<boolean>;

export function openStandardOutput(): Sink {
  let failure: NodeJS.ErrnoException | undefined;
  let wake: (() => void) | undefined;
  process.stdout.on('error', (error) => {
    failure = error;
    wake?.();
  });
  process.stdout.on('drain', () => wake?.());
  return async (text) => {
    const hasRoom = failure === undefined && process.stdout.write(text);
    if (!hasRoom && failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
    if (failure === undefined) return true;
    if (failure.code === 'EPIPE') return false;
    throw new OperatorError(
      `Standard output cannot be written (${failure.code ?? failure.message}).`,
      'Check where it is redirected to.',
    );
  };
}
