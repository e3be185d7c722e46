import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { visit } from '../support/browser/visit.ts';
import { openListeningService } from '../support/http/listening.ts';

const chromium = browserOfFile();
const addresses = {
  publicUrl: 'https://pets.example/v1',
  stagingUrl: 'https://staging.pets.example/shop/v1',
};

describe('the addresses of the document', () => {
  it('are a choice for the samples and "Copy as curl", which is remembered, while Try it calls this host', async () => {
    await using service = await openListeningService(addresses);
    await using visited = await visit(chromium.browser, `${service.url}/docs`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, complaints } = visited;
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
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page } = visited;
    // The default address of the document would be another service, or none.
    expect(await page.locator('.addresses').innerText()).toMatch(/^Address\s+http:\S+\/v1\s+This host\.$/);
    expect(await page.locator('.addresses input').count()).toBe(0);
    expect(await page.locator('#listPets figure:visible').innerText()).toContain(`${service.url}/v1/pets`);
  });
});
