import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit extends AsyncDisposable {
  page: Page;
  /** Errors and warnings of the browser, violations of the content policy, requests to other hosts. */
  readonly complaints: string[];
  /** The violations that axe finds, one per line. */
  findBarriers: () => Promise<string[]>;
}

/** Opens an address in a new browser profile and records everything that goes wrong there. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    // Each frame of a movement costs time.
    reducedMotion: 'reduce',
    ...options,
  });
  // A busy machine takes its time; Playwright's own limit is 30 seconds.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { host } = new URL(url);
  page.on('console', (message) => {
    // The browser reports every failed connection and every status of 400 or more; tests expect those.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text());
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
      if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
      return page.evaluate<string[]>(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap((rule) =>
          rule.nodes.map((node) => rule.id + ': ' + node.target + ': ' + node.failureSummary)))`,
      );
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
