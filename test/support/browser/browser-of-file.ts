import { afterAll, beforeAll } from 'bun:test';
import { openBrowser, type OpenBrowser } from './browser.ts';

/** One browser for all tests of a file. */
export function browserOfFile(): Pick<OpenBrowser, 'browser'> {
  let opened: OpenBrowser | undefined;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return {
    get browser() {
      if (!opened) throw new Error('The browser exists only while tests run.');
      return opened.browser;
    },
  };
}
