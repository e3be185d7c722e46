/**
 * A value that is available now or later. SQLite responds at once, and with `async`, a cached list would create a
 * promise at every step.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Like `await`, but does not create a promise if the value is available now. */
export function andThen<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
