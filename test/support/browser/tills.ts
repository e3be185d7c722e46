import { afterEach, beforeEach } from 'bun:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { ListeningService } from '../http/listening.ts';
import { useBrowser } from './use-browser.ts';
import { openConsole } from './console.ts';
import type { Visit } from './visit.ts';

interface Tills {
  browser: Browser;
  /** Opens the console of a service and signs in. Both are closed after the test. */
  open<Shop extends ListeningService>(
    opening: Promise<Shop>,
    options?: BrowserContextOptions,
  ): Promise<Visit & { service: Shop }>;
}

/** The consoles of a file's tests, in one browser. */
export function useTills(): Tills {
  const chromium = useBrowser();
  let opened: AsyncDisposableStack;
  beforeEach(() => {
    opened = new AsyncDisposableStack();
  });
  afterEach(() => opened.disposeAsync());
  return {
    get browser() {
      return chromium.browser;
    },
    async open(opening, options) {
      const service = opened.use(await opening);
      const visited = opened.use(await openConsole(chromium.browser, service, options));
      return { ...visited, service };
    },
  };
}
