/** The error of something that must fail, at once or as a promise. */
export async function failureOf(outcome: unknown): Promise<unknown> {
  try {
    await outcome;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
