import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../support/http/listening.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { desktop, openConsole, overflowing, phone, signIn } from '../support/browser/console.ts';
import { visit } from '../support/browser/visit.ts';

const chromium = browserOfFile();

describe('/docs', () => {
  it('lists the three operations and loads nothing from other hosts', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page, complaints } = visited;
    const endpoints = await page.locator('.operation .endpoint').allTextContents();
    expect(endpoints).toEqual(['GET /v1/pets', 'POST /v1/pets', 'GET /v1/pets/{petId}']);
    expect(await page.locator('#getPet .badge').textContent()).toBe('Deprecated');
    expect(complaints).toEqual([]);
  });

  it('sends a call and shows every digit of the response', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page, complaints } = visited;
    const creating = page.getByRole('form', { name: 'Try createPet' });
    await creating.getByRole('button', { name: 'Send' }).click();
    await creating.getByText('Enter your API key above first.').waitFor();

    await page.getByLabel('API key for trying calls').fill(service.apiKey);
    await creating.getByLabel('Body').fill('{"name":"Rex","categoryId":9223372036854775807}');
    await creating.getByRole('button', { name: 'Send' }).click();
    await creating.getByText('201 Created').waitFor();
    await creating.getByText('{"id":1,"name":"Rex","categoryId":9223372036854775807}').waitFor();

    const listing = page.getByRole('form', { name: 'Try listPets' });
    await listing.getByLabel('limit').fill('0');
    await listing.getByRole('button', { name: 'Send' }).click();
    await listing.getByText('"invalid_parameter"').waitFor();

    const getting = page.getByRole('form', { name: 'Try getPet' });
    await getting.getByRole('button', { name: 'Send' }).click();
    await getting.getByText('sunset: Thu, 05 Dec 2030 00:00:00 GMT').waitFor();
    expect(page.url()).toBe(`${service.url}/docs`);
    expect(complaints).toEqual([]);
  });

  it('shows its own address and one language at a time in the examples', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page } = visited;
    const example = page.locator('#first-call figure:visible');
    expect(await example.innerText()).toContain(`${service.url}/v1/pets`);
    await page.getByRole('radio', { name: 'TypeScript' }).check();
    expect(await example.innerText()).toContain(`baseUrl: '${service.url}'`);
  });

  it('does not replace the key that the browser remembers for the console', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    await page.getByLabel('Remember me on this device').check();
    await signIn(page, service.apiKey);
    await page.goto(`${service.url}/docs`);
    const field = page.getByLabel('API key for trying calls');
    expect(await field.inputValue()).toBe(service.apiKey);
    for (const key of ['pets_other', '']) {
      await field.fill(key);
      await field.blur();
      expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(service.apiKey);
    }
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    await page.goto(service.url);
    await page.getByText('No pets yet').waitFor();
    // A wrong key of the tab is refused in the console, which then uses the remembered key.
    await page.evaluate<void>("sessionStorage.setItem('petstore-api-key', 'pets_wrong')");
    await page.reload();
    await page.getByText('No pets yet').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
  });

  it('forgets the key of the tab when the field is emptied, so that the console asks for one', async () => {
    await using service = await openListeningService();
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.goto(`${service.url}/docs`);
    const field = page.getByLabel('API key for trying calls');
    await field.fill('');
    await field.blur();
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('no longer accepted').count()).toBe(0);
  });

  it('is readable without JavaScript', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`, { javaScriptEnabled: false });
    const { page } = visited;
    expect(await page.locator('figure:visible').count()).toBe(12);
    expect(await page.locator('form:visible').count()).toBe(0);
  });

  it('has the section that the deprecation link names', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs#deprecation`);
    expect(await visited.page.locator(':target h2').innerText()).toBe('Stop using getPet');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [screen, size] of Object.entries({ desktop, phone })) {
      it(`passes axe and cuts no text on a ${screen} in ${colorScheme} colours`, async () => {
        await using service = await openListeningService();
        await using visited = await visit(chromium.browser, `${service.url}/docs`, { ...size, colorScheme });
        const { page, complaints } = visited;
        for (const summary of await page.locator('#listPets summary').all()) await summary.click();
        await page.getByLabel('API key for trying calls').fill(service.apiKey);
        await page.getByRole('form', { name: 'Try listPets' }).getByRole('button').click();
        await page.getByText('200 OK').waitFor();
        expect(await visited.findBarriers()).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        expect(complaints).toEqual([]);
      });
    }
  }
});
