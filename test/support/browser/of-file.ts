import { afterAll, beforeAll } from 'bun:test';

/** One of it for all tests of a file. */
export function ofFile<Opened extends AsyncDisposable>(open: () => Promise<Opened>): () => Opened {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return () => {
    if (!opened) throw new Error('It exists only while tests run.');
    return opened;
  };
}
