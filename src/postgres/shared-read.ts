/**
 * Lets identical reads that wait together share one query. A caller joins only a query that has not started, so the
 * result is as fresh as if each had asked alone; while one query of a kind is under way, the next one gathers.
 */
export type SharedRead<Result> = (key: string, query: Query<Result>) => Promise<Result>;

type Query<Result> = () => Promise<Result>;

interface Kind<Result> {
  next: PromiseWithResolvers<Result> | undefined;
}

export function createSharedRead<Result>(): SharedRead<Result> {
  const underWay = new Map<string, Kind<Result>>();

  const start = (key: string, kind: Kind<Result>, query: Query<Result>): Promise<Result> => {
    const running = query();
    running.then(
      () => {
        const { next } = kind;
        kind.next = undefined;
        if (next) start(key, kind, query).then(next.resolve, next.reject);
        else underWay.delete(key);
      },
      (error: unknown) => {
        // Those who gathered behind a store that does not respond do not wait for it again.
        underWay.delete(key);
        kind.next?.reject(error);
      },
    );
    return running;
  };

  return (key, query) => {
    const kind = underWay.get(key);
    if (kind) {
      kind.next ??= Promise.withResolvers();
      return kind.next.promise;
    }
    const first: Kind<Result> = { next: undefined };
    underWay.set(key, first);
    return start(key, first, query);
  };
}
