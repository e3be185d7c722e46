/** What a promise fails with. Awaited, so that one that never settles meets the test's time limit. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
