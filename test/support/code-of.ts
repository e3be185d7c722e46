import { PetstoreError } from '../../src/domain/error.ts';

/** What became of a promise: `done`, or the code of its error. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (error instanceof PetstoreError ? error.code : String(error)),
  );
}
