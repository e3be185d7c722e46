/** The error of something that must fail. Awaited, so that a promise that never settles meets the time limit. */
export async function failureOf(outcome: unknown): Promise<unknown> {
  try {
    await outcome;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
