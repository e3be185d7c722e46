type Query<Result> = () => Promise<Result>;

/**
 * Lets identical waiting reads share one query. A caller joins only a query that has not started, so the result is as
 * fresh as its own would be. While one query runs, callers collect for the next one.
 */
export function createSharedRead<Result>(): (key: string, query: Query<Result>) => Promise<Result> {
  /** For the key of each running query: the result that later callers wait for. */
  const nextByKey = new Map<string, PromiseWithResolvers<Result> | undefined>();

  const start = (key: string, query: Query<Result>): Promise<Result> => {
    nextByKey.set(key, undefined);
    const running = query();
    running.then(
      () => {
        const next = nextByKey.get(key);
        if (next) start(key, query).then(next.resolve, next.reject);
        else nextByKey.delete(key);
      },
      (error: unknown) => {
        // The store does not respond: fail the later callers too, instead of letting them wait for it again.
        nextByKey.get(key)?.reject(error);
        nextByKey.delete(key);
      },
    );
    return running;
  };

  return (key, query) => {
    if (!nextByKey.has(key)) return start(key, query);
    const next = nextByKey.get(key) ?? Promise.withResolvers<Result>();
    nextByKey.set(key, next);
    return next.promise;
  };
}
