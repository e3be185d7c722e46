/**
 * A value that is here already or will arrive. An embedded store responds at once, and `async` would then cost a hot list
 * a promise at every step.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with a value as soon as it is here: `await`, without a promise where none is needed. */
export function andThen<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Handles what is thrown at once or later: `catch` to the `await` above. */
export function orElse<Value>(
  attempt: () => MaybePromise<Value>,
  recover: (error: unknown) => Value,
): MaybePromise<Value> {
  try {
    const value = attempt();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
