import { PetstoreError, unavailable } from '../domain/error.ts';

/** A queue with a limit on its length and on the time that a request may wait. */
export interface BoundedQueue<Request, Result> {
  readonly length: number;
  /** Fails with `overloaded` if too many wait, and with `unavailable` if the wait takes too long. */
  add(request: Request): Promise<Result>;
  /** Removes at most `count` requests, in order of arrival. */
  take(count: number): Queued<Request, Result>[];
}

export interface Queued<Request, Result> {
  request: Request;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createBoundedQueue<Request, Result>(
  maxWaitMs: number,
  maxLength = 10_000,
): BoundedQueue<Request, Result> {
  const queued: Queued<Request, Result>[] = [];
  let timer: Timer | undefined;

  const refuseLate = (): void => {
    const oldest = performance.now() - maxWaitMs;
    const inTime = queued.findIndex(({ since }) => since > oldest);
    for (const { reject } of queued.splice(0, inTime === -1 ? queued.length : inTime)) {
      reject(unavailable(new Error(`Waited more than ${maxWaitMs} ms.`)));
    }
    const [first] = queued;
    timer = first && setTimeout(refuseLate, Math.max(0, first.since - oldest)).unref();
  };

  return {
    get length() {
      return queued.length;
    },
    add: (request) =>
      new Promise((resolve, reject) => {
        if (queued.length >= maxLength) {
          return reject(new PetstoreError('overloaded', 'Too many requests are waiting. Try again shortly.'));
        }
        queued.push({ request, since: performance.now(), resolve, reject });
        timer ??= setTimeout(refuseLate, maxWaitMs).unref();
      }),
    take: (count) => queued.splice(0, count),
  };
}
