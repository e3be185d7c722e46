import { afterAll, beforeAll } from 'bun:test';
import { openBrowser, type OpenBrowser } from './browser.ts';

/** One browser for all tests of a file, there from the first to the last of them. */
export function browserOfFile(): Pick<OpenBrowser, 'browser'> {
  let opened: OpenBrowser | undefined;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return {
    get browser() {
      if (!opened) throw new Error('The browser is there in tests alone.');
      return opened.browser;
    },
  };
}
