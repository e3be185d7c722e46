import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { dereference, type OpenapiDocument } from '../../src/docs/contract.ts';
import { renderDocs } from '../../src/docs/render.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { visit } from '../support/browser/visit.ts';
import { openapi } from '../support/contract/openapi.ts';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';

const chromium = browserOfFile();
const servers = [
  { url: 'https://pets.example/v1', description: 'Production.' },
  { url: 'https://staging.pets.example/shop/v1', description: 'Staging.' },
  { url: '/', description: 'The host that serves this document.' },
];

/** The docs of a document with other servers, on a real service. */
async function openDocs(page: Page, service: ListeningService): Promise<void> {
  const contract = { ...(dereference(openapi) as OpenapiDocument), servers };
  const body = renderDocs(contract, {
    'docs.css': 'assets/docs.css',
    'docs.js': 'assets/docs.js',
    'icon.svg': 'assets/icon.svg',
  });
  await page.route('**/docs', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${service.url}/docs`);
}

describe('the addresses of the document', () => {
  it('are a choice for the samples, which is remembered', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/livez`);
    const { page } = visited;
    await openDocs(page, service);
    const sample = page.locator('#listPets figure:visible');
    const choices = page.getByRole('radio', { name: /\/v1/ });
    expect(await choices.count()).toBe(3);
    expect(await sample.innerText()).toContain(`${service.url}/v1/pets`);

    await page.getByRole('radio', { name: /Staging/ }).check();
    expect(await sample.innerText()).toContain('https://staging.pets.example/shop/v1/pets?');
    await page.getByRole('radio', { name: /Production/ }).check();
    expect(await sample.innerText()).toContain('https://pets.example/v1/pets?');
    expect(await page.locator('main').innerText()).not.toContain('/v1/v1');

    await page.reload();
    expect(await sample.innerText()).toContain('https://pets.example/v1/pets?');
    await page.getByRole('radio', { name: 'TypeScript' }).check();
    expect(await sample.innerText()).toContain("baseUrl: 'https://pets.example'");
  });

  it('reach "Copy as curl", while Try it calls this host', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/livez`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, complaints } = visited;
    await openDocs(page, service);
    await page.getByRole('radio', { name: /Production/ }).check();
    const form = page.getByRole('form', { name: 'Try listPets' });
    expect(await form.innerText()).toContain('Sends a real request to this host');
    await form.getByLabel('status').selectOption('sold');
    await form.getByRole('button', { name: 'Copy as curl' }).click();
    await form.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      `curl -H "Authorization: Bearer $API_KEY" \\\n  'https://pets.example/v1/pets?status=sold'`,
    );
    await form.getByLabel('API key').fill(service.apiKey);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('200 OK').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are no choice when this host is the only one', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/livez`);
    const { page } = visited;
    servers.splice(0, 2);
    await openDocs(page, service);
    expect(await page.locator('.addresses').innerText()).toContain(`${service.url}/v1`);
    expect(await page.locator('.addresses input').count()).toBe(0);
  });
});
