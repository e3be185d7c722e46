import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../support/browser/use-browser.ts';
import { phone } from '../support/browser/console.ts';
import { visit } from '../support/browser/visit.ts';
import { openShopOf } from '../support/browser/shop.ts';

const chromium = useBrowser();
const looks = {
  'a desktop in light colours': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'a phone in dark colours': { ...phone, colorScheme: 'dark' },
} as const;

describe('/docs after some use', () => {
  for (const [look, options] of Object.entries(looks)) {
    it(`passes axe and cuts no text on ${look}`, async () => {
      await using service = await openShopOf(3);
      await using visited = await visit(chromium.browser, `${service.url}/docs`, options);
      const { page, complaints } = visited;
      const form = page.getByRole('form', { name: 'Try listPets' });
      await page.getByLabel('API key').fill(service.apiKey);
      await form.getByLabel('limit').fill('1');
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('200 OK').waitFor();
      const getting = page.getByRole('form', { name: 'Try getPet' });
      await getting.getByLabel('petId').fill('99');
      await getting.getByRole('button', { name: 'Send' }).click();
      await page.locator('.explanation').waitFor();
      // One of each kind.
      await page.evaluate<void>(
        "document.querySelectorAll('#createPet details, #listPets .try details').forEach((one) => (one.open = true))",
      );
      for (const language of ['curl', 'TypeScript']) {
        await page.getByRole('radio', { name: language }).check();
        expect(await cutOff(page)).toEqual([]);
      }
      // What is hidden differs in its words alone, and axe would read it for minutes.
      await page.evaluate<void>(
        "document.querySelectorAll('figure, .folded').forEach((one) => one.checkVisibility() || one.remove())",
      );
      expect(await visited.findBarriers()).toEqual([]);
      expect(complaints).toEqual([]);
    });
  }
});

/** The elements that are wider than their box, but for code, which scrolls by itself and takes the focus. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [document.documentElement, ...document.querySelectorAll('body *')]
      .filter((element) => !element.closest('.visually-hidden, .skip, pre[tabindex="0"]')
        && !['INPUT', 'SELECT'].includes(element.tagName)
        && getComputedStyle(element).display !== 'inline' && element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 200))`);
}
