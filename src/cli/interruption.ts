/** Lets a long command end at a moment that it chooses. A second signal ends it at once. */
export interface Interruption extends Disposable {
  /** The exit status that a shell expects after the signal; undefined while none has come. */
  readonly exitStatus: number | undefined;
}

export function watchForInterruption(): Interruption {
  let exitStatus: number | undefined;
  const statusOf = { SIGINT: 130, SIGTERM: 143 };
  const stop = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (exitStatus !== undefined) process.exit(statusOf[signal]);
    exitStatus = statusOf[signal];
  };
  const onInt = () => stop('SIGINT');
  const onTerm = () => stop('SIGTERM');
  process.on('SIGINT', onInt);
  process.on('SIGTERM', onTerm);
  return {
    get exitStatus() {
      return exitStatus;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', onInt);
      process.off('SIGTERM', onTerm);
    },
  };
}
