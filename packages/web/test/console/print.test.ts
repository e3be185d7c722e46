import { describe, expect, it } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { rows } from '../../../../test/support/browser/console.ts';
import { openDetails, openShop, openShopOf } from '../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('on paper', () => {
  const paper: BrowserContextOptions = { viewport: { width: 794, height: 1123 }, colorScheme: 'dark' };
  const isSeen = (page: Page, parts: string[]) =>
    Promise.all(parts.map(async (part) => [part, await page.locator(part).first().isVisible()]));
  const all = (parts: string[], seen: boolean) => parts.map((part) => [part, seen]);

  it('the list shows all rows and no controls', async () => {
    const { page } = await tills.open(openShopOf(40), {
      ...paper,
      viewport: { width: 1123, height: 794 },
    });
    await rows(page).nth(39).waitFor();
    await rows(page).first().focus();
    await page.keyboard.press('s');
    await page.locator('.note').waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: null });
    const pressed = ['.bar', '.find', '.add-pet', '.notes', '.row .actions'];
    expect(await isSeen(page, pressed)).toEqual(all(pressed, false));
    const read = ['.columns', '.row .name', '.row .status', '.row .number', '.row .number.id'];
    expect(await isSeen(page, read)).toEqual(all(read, true));
    expect(await page.locator('.row:visible').count()).toBe(40);
    expect(await page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')).toBe(
      'light',
    );
    // Headers that stick would be printed over rows.
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('.columns')).position`)).toBe(
      'static',
    );
  });

  it('the label of a pet shows its whole name and its numbers, and nothing else', async () => {
    const { page } = await tills.open(openShop('Rex', 'Sir Barksalot '.repeat(20)), paper);
    await openDetails(page, 'Sir Barksalot');
    await page.emulateMedia({ media: 'print' });
    const others = ['.bar', '.pets .row', '.add-pet', '.statuses', '.edit-form', '.details button'];
    expect(await isSeen(page, others)).toEqual(all(others, false));
    expect(await page.locator('.facts').innerText()).toMatch(/Available\s+Category 7\s+Id 2/);
    const [clipped, position, shadow, size] = await page.evaluate<[boolean, string, string, number]>(`{
      const heading = document.querySelector('.details h2');
      const card = getComputedStyle(heading.closest('.details'));
      const size = parseFloat(getComputedStyle(heading).fontSize);
      [heading.scrollHeight > heading.clientHeight, card.position, card.boxShadow, size];
    }`);
    expect([clipped, position, shadow]).toEqual([false, 'static', 'none']);
    expect(size).toBeGreaterThan(30);
  });
});
