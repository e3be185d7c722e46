/** Gives work a time to end in. Fails with what `late` makes when it has not ended by then. */
export type Deadline = <Value>(work: Promise<Value>, late: () => Error) => Promise<Value>;

interface Waiting {
  until: number;
  giveUp: () => void;
}

/**
 * All have the same time, so whoever began first is late first, and one timer serves all. To set and clear one for each
 * body took 1 % more for a create.
 */
export function createDeadline(timeoutMs: number): Deadline {
  const inOrder = new Set<Waiting>();
  let isTimerSet = false;

  const setTimer = (ms: number): void => {
    isTimerSet = true;
    setTimeout(endLate, ms).unref();
  };

  const endLate = (): void => {
    isTimerSet = false;
    const now = performance.now();
    for (const waiting of inOrder) {
      if (waiting.until > now) return setTimer(waiting.until - now);
      inOrder.delete(waiting);
      waiting.giveUp();
    }
  };

  return (work, late) =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = { until: performance.now() + timeoutMs, giveUp: () => reject(late()) };
      inOrder.add(waiting);
      if (!isTimerSet) setTimer(timeoutMs);
      work.then(
        (value) => {
          inOrder.delete(waiting);
          resolve(value);
        },
        (error: unknown) => {
          inOrder.delete(waiting);
          reject(error);
        },
      );
    });
}
