import { describe, expect, it } from 'bun:test';
import { useBrowser } from '../support/browser/use-browser.ts';
import { visit } from '../support/browser/visit.ts';
import { openListeningService } from '../support/http/listening.ts';

const chromium = useBrowser();

describe('the address in the docs', () => {
  it('is the public one in the samples and "Copy as curl", while Try it calls this host', async () => {
    await using service = await openListeningService({ publicUrl: 'https://pets.example/shop/v1' });
    await using visited = await visit(chromium.browser, `${service.url}/docs`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, complaints } = visited;
    expect(await page.getByLabel('Address', { exact: true }).innerText()).toBe(
      'https://pets.example/shop/v1',
    );
    const sample = page.locator('#listPets figure:visible');
    expect(await sample.innerText()).toContain('https://pets.example/shop/v1/pets?');
    const form = page.getByRole('form', { name: 'Try listPets' });
    await form.getByRole('button', { name: 'Copy as curl' }).click();
    await form.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      `curl -H "Authorization: Bearer $API_KEY" \\\n  https://pets.example/shop/v1/pets`,
    );
    await page.getByLabel('API key').fill(service.apiKey);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('200 OK').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is this host when there is no public one', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page } = visited;
    expect(await page.getByLabel('Address', { exact: true }).innerText()).toBe(`${service.url}/v1`);
    expect(await page.locator('#listPets figure:visible').innerText()).toContain(`${service.url}/v1/pets`);
    expect(await page.locator('main').innerText()).not.toContain('127.0.0.1:8080');
  });
});
