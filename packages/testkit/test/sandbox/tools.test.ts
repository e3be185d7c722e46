import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../../../test/support/browser/use-browser.ts';
import { installTools, tools } from '../../../../test/support/process/tools.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

/** A tool that calls an API from a page of its own origin, as people use it. */

const packages = join(tools, 'node_modules');
const opened = useBrowser();
let sandbox: Sandbox;

beforeAll(async () => {
  await installTools();
  // The examples of the document, which the tool sends, ask for the first available pets.
  sandbox = await startSandbox({ count: 100 });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

/** A page that can reach this machine alone. */
async function openPage(url: string, opening: AsyncDisposableStack): Promise<Page> {
  const page = await opened.browser.newPage({ viewport: { width: 1300, height: 900 } });
  opening.defer(() => page.close());
  page.setDefaultTimeout(100_000);
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await page.goto(url);
  return page;
}

async function addedPet(): Promise<unknown> {
  const headers = { Authorization: `Bearer ${sandbox.apiKey}` };
  return (await fetch(`${sandbox.url}/v1/pets/101`, { headers })).json();
}
const rex = { id: 101, name: 'Rex', categoryId: 1, status: 'available' };
/** The first available pet. */
const listed = /"id": 1,\s+"name": "\w+"/;

describe('Swagger UI on another origin', () => {
  const html = (): string => `<!doctype html><link rel="stylesheet" href="/swagger-ui.css"><div id="ui"></div>
    <script src="/swagger-ui-bundle.js"></script>
    <script>SwaggerUIBundle({ url: '${sandbox.url}/openapi.json', dom_id: '#ui' })</script>`;

  /** Executes an operation and returns what is shown: the status, the body and the headers. */
  const execute = async (page: Page, operation: string): Promise<string> => {
    const block = page.locator(`#operations-Pets-${operation}`);
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    await block.getByRole('button', { name: 'Execute' }).click();
    return await block.locator('.live-responses-table .response').innerText();
  };

  it('lists and adds pets', async () => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        const { pathname } = new URL(url);
        if (pathname === '/') return new Response(html(), { headers: { 'Content-Type': 'text/html' } });
        return new Response(Bun.file(join(packages, 'swagger-ui-dist', pathname)));
      },
    });
    await using opening = new AsyncDisposableStack();
    opening.defer(() => server.stop(true));
    const page = await openPage(server.url.href, opening);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').fill(sandbox.apiKey);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    const list = await execute(page, 'listPets');
    expect(list).toStartWith('200');
    expect(list).toMatch(listed);
    expect(list).toContain('etag:');
    const created = await execute(page, 'createPet');
    expect(created).toStartWith('201');
    expect(created).toContain('location: /v1/pets/101');
    expect(await addedPet()).toEqual(rex);
  });
});
