/** Resolves after a pause, or rejects with the signal's reason if it aborts. */
export function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Limits the pause, so that clients return soon after a long failover. */
const largestBackoffMs = 5000;

/**
 * How long to wait before the next attempt: the service's `Retry-After` plus a pause that doubles with each failure.
 * Half of the pause is random, so that callers who failed together do not return together.
 */
export function backoffMs(failures: number, baseMs: number, retryAfterMs = 0): number {
  const ceilingMs = Math.min(baseMs * 2 ** failures, largestBackoffMs);
  return retryAfterMs + (ceilingMs * (1 + Math.random())) / 2;
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
