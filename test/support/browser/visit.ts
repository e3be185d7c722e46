import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit extends AsyncDisposable {
  page: Page;
  /** What must not be: errors on the console, breaches of the policy, requests to other hosts. */
  readonly complaints: string[];
  /** What axe finds wrong, a line each. */
  findBarriers(): Promise<string[]>;
}

/** Opens an address in a browser profile of its own and listens to everything that goes wrong there. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const { host } = new URL(url);
  page.on('console', (message) => {
    // The browser itself notes every answer of 400 and more and every connection that failed; those are expected here.
    const isNoteOfBrowser = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isNoteOfBrowser) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== host) complaints.push(`a request to ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    complaints,
    async findBarriers() {
      await page.evaluate(axe);
      return page.evaluate<string[]>(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap((rule) =>
          rule.nodes.map((node) => rule.id + ': ' + node.target + ': ' + node.failureSummary)))`,
      );
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
