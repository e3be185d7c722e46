/** Gives work a time to end in. */
export interface Deadline {
  /** From now on; `giveUp` is called when the work has not ended in time. */
  begin(giveUp: () => void): Waiting;
  end(work: Waiting): void;
}

export interface Waiting {
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

  return {
    begin(giveUp) {
      const waiting = { until: performance.now() + timeoutMs, giveUp };
      inOrder.add(waiting);
      if (!isTimerSet) setTimer(timeoutMs);
      return waiting;
    },
    end(work) {
      inOrder.delete(work);
    },
  };
}
