import { afterAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { operations } from '../support/contract/openapi.ts';
import { openListeningService } from '../support/http/listening.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { phone } from '../support/browser/console.ts';
import { visit } from '../support/browser/visit.ts';

const chromium = useBrowser();
const service = await openListeningService();
afterAll(() => service[Symbol.asyncDispose]());
const wide = { viewport: { width: 1440, height: 900 } };

const current = (page: Page) => page.locator('.contents [aria-current]').allInnerTexts();
const boxOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())!;

describe('/docs', () => {
  it('lists the operations and loads nothing from other hosts', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page, complaints } = visited;
    const endpoints = await page.locator('.operation .endpoint').allInnerTexts();
    expect(endpoints).toEqual(operations.map(({ method, path }) => `${method} ${path} Try it`));
    expect(await page.locator('#getPet .badge').textContent()).toBe('Deprecated');
    expect(complaints).toEqual([]);
  });

  it('shows methods and marks in the contents, and links to the console if there is one', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, wide);
    const { page } = visited;
    const links = page.locator('.contents');
    expect(await links.getByRole('link', { name: 'Fetch one pet' }).innerText()).toMatch(
      /^GET Fetch one pet\s+Deprecated$/,
    );
    expect(await links.getByRole('link', { name: 'Change a pet' }).innerText()).toMatch(
      /^PATCH Change a pet\s+Beta$/,
    );
    await links.getByRole('link', { name: 'Pets and sales' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await using stable = await openListeningService({ stableOnly: true });
    await page.goto(`${stable.url}/docs`);
    expect(await links.innerText()).not.toMatch(/Beta|Pets and sales/);
  });

  it('works with a trailing slash, and keeps the fragment', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs/#deprecation`);
    const { page, complaints } = visited;
    expect(page.url()).toBe(`${service.url}/docs#deprecation`);
    expect(await page.locator(':target h2').innerText()).toBe('Stop using getPet');
    await page.locator('.language').waitFor();
    expect(complaints).toEqual([]);
  });

  it('has contents, words and samples side by side on a wide screen, and marks the section that is shown', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, wide);
    const { page } = visited;
    const [contents, words, samples] = await Promise.all(
      ['.contents', '#listPets .words', '#listPets .samples'].map((selector) => boxOf(page, selector)),
    );
    expect(contents!.x + contents!.width).toBeLessThan(words!.x);
    expect(words!.x + words!.width).toBeLessThan(samples!.x);
    expect(samples!.y).toBe(words!.y);
    await page.locator('.contents [aria-current]').waitFor();
    expect(await current(page)).toEqual(['Get an API key']);
    for (const title of ['Handle errors', 'Fetch one pet', 'Retry safely']) {
      await page.getByRole('navigation').getByRole('link', { name: title }).click();
      await page.locator('.contents [aria-current]', { hasText: title }).waitFor();
      expect(await current(page)).toHaveLength(1);
    }
    await page.evaluate<void>("document.querySelector('#createPet').scrollIntoView()");
    await page.locator('.contents [aria-current][href="#createPet"]').waitFor();
  });

  it('has one column on a phone, with the samples below the words and the contents folded', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, phone);
    const { page } = visited;
    const [words, samples] = [await boxOf(page, '#listPets .words'), await boxOf(page, '#listPets .samples')];
    expect(samples.y).toBeGreaterThan(words.y + words.height);
    expect(samples.x).toBe(words.x);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Handle errors' });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('Contents').click();
    await link.click();
    expect(await link.isVisible()).toBe(false);
    expect(page.url()).toEndWith('#errors');
  });

  it('shows one language at a time and remembers which', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page } = visited;
    const sample = page.locator('#first-call figure:visible');
    expect(await sample.innerText()).toContain('curl -H');
    await page.getByRole('radio', { name: 'TypeScript' }).check();
    expect(await sample.innerText()).toContain("from 'petstore-client'");
    await page.reload();
    expect(await sample.innerText()).toContain("from 'petstore-client'");
    expect(await page.getByRole('radio', { name: 'TypeScript' }).isChecked()).toBe(true);
    expect(await page.locator('figure:visible').count()).toBe(18);
  });

  it('copies every block of code as shown', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visited;
    const blocks = await page.locator('.block:visible:has(pre)').all();
    expect(blocks.length).toBeGreaterThan(20);
    for (const block of blocks.slice(0, 6)) {
      const button = block.getByRole('button');
      await button.click();
      await block.getByText('Copied').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe((await block.locator('code').last().textContent())!);
    }
  });

  it('selects the code if scripts may not use the clipboard', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, { permissions: [] });
    const { page } = visited;
    await page.evaluate<void>("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const block = page.locator('#key .block').first();
    await block.getByRole('button').click();
    await block.getByText('Press Ctrl+C').waitFor();
    expect(await page.evaluate<string>('getSelection().toString()')).toContain('petstore keys create');
  });

  it('is readable without JavaScript', async () => {
    await using visited = await visit(chromium.browser, `${service.url}/docs`, {
      javaScriptEnabled: false,
    });
    const { page } = visited;
    expect(await page.locator('figure:visible').count()).toBe(36);
    expect(await page.locator('form:visible, button:visible').count()).toBe(0);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'List pets' }).isVisible()).toBe(
      true,
    );
  });
});

describe('the address in the docs', () => {
  it('is the public one in the samples and "Copy as curl", while Try it calls this host', async () => {
    await using configured = await openListeningService({ publicUrl: 'https://pets.example/shop/v1' });
    await using visited = await visit(chromium.browser, `${configured.url}/docs`, {
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
    await page.getByLabel('API key').fill(configured.apiKey);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('200 OK').waitFor();
    expect(complaints).toEqual([]);
  });
});
