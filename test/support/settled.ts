/** Tells, whenever it is asked, whether a promise is over. */
export function settledIn(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  return () => isSettled;
}
