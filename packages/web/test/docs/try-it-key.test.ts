import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { signIn } from '../../../../test/support/browser/console.ts';
import { visit } from '../../../../test/support/browser/visit.ts';

const tills = useTills();

const keyOf = (page: Page) => page.getByLabel('API key');

describe('the key of Try it', () => {
  it('does not replace the key that the browser remembers for the console', async () => {
    await using service = await openListeningService();
    await using visited = await visit(tills.browser, service.url);
    const { page } = visited;
    await page.getByLabel('Remember me on this device').check();
    await signIn(page, service.apiKey);
    await page.goto(`${service.url}/docs`);
    const field = keyOf(page);
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
});
