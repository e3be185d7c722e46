import { beforeAll } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser, type OpenBrowser } from './browser.ts';

let shared: OpenBrowser | undefined;

/** The browser that all test files of this process share: starting one takes longer than many a test. */
export function useBrowser(): { readonly browser: Browser } {
  beforeAll(async () => {
    if (!shared?.browser.isConnected()) shared = await openBrowser();
  });
  return {
    get browser() {
      return shared!.browser;
    },
  };
}
