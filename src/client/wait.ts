/** Resolves after a pause; rejects with the signal's reason as soon as it is aborted. */
export function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * How long to wait after so many earlier failures: what the service asked for, if it did, and a pause that doubles each
 * time. Half of the pause is random, so that callers who failed together do not come back together.
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

/** A service that is back is found soon, also after a long failover. */
const largestBackoffMs = 5000;

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason as Error;
}
