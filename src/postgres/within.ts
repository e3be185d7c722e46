import { unavailable } from './errors.ts';

/** Fails with `unavailable` when the work takes longer; the work itself goes on. */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(unavailable(new Error(`Waited more than ${timeoutMs} ms.`))),
    timeoutMs,
  );
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
