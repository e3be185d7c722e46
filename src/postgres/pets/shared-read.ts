/**
 * Lets identical reads that wait together share one query. A caller joins only a query that has not started, so the
 * result is as fresh as if each had asked alone; while one query of a kind is under way, the next one gathers.
 */
export type SharedRead<Result> = (key: string, query: Query<Result>) => Promise<Result>;

type Query<Result> = () => Promise<Result>;

export function createSharedRead<Result>(): SharedRead<Result> {
  /** By the key of each query under way: what those who came later wait for. */
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
        // Those who gathered behind a store that does not respond do not wait for it again.
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
