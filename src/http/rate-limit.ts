/** A caller's remaining requests, in the headers of `draft-ietf-httpapi-ratelimit-headers`. */
export interface Quota {
  isExceeded: boolean;
  headers: Record<string, string>;
}

/** Counts one request of the caller with this hash. */
export type RateLimit = (caller: string) => Quota;

const windowSeconds = 60;

/** Counts the requests of each key in windows of one minute. A window starts with a request. */
export function createRateLimit(rateLimit: number, now: () => number): RateLimit {
  // Only valid keys get this far, so there is at most one entry per key.
  const windows = new Map<string, { endsAt: number; remaining: number }>();
  const policy = `"default";q=${rateLimit};w=${windowSeconds}`;

  return (caller) => {
    const time = now();
    let window = windows.get(caller);
    // A window that ends too far ahead was opened before the clock was set back.
    if (!window || window.endsAt <= time || window.endsAt > time + windowSeconds * 1000) {
      window = { endsAt: time + windowSeconds * 1000, remaining: rateLimit };
      windows.set(caller, window);
    }
    const isExceeded = window.remaining === 0;
    if (!isExceeded) window.remaining -= 1;
    const secondsLeft = Math.ceil((window.endsAt - time) / 1000);
    return {
      isExceeded,
      headers: {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${window.remaining};t=${secondsLeft}`,
        ...(isExceeded && { 'Retry-After': String(secondsLeft) }),
      },
    };
  };
}
