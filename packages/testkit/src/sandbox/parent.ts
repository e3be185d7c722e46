const checkEveryMs = 100;

/**
 * Resolves when the process that started this one is gone, however it ended: an orphan gets another parent. Waiting for
 * it does not keep this process alive.
 */
export function untilParentGone(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, checkEveryMs).unref();
  });
}

/** Resolves when standard input ends, which it does at once with the process at its other end. */
export function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .on('end', resolve)
      .on('error', () => resolve())
      .resume();
  });
}
