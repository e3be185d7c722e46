import { describe, expect, it } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { rows } from '../../../../test/support/browser/console.ts';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { makeSqlitePlace } from '../../../../test/support/store-place.ts';
import { openDetails, openShopOf } from '../../../../test/support/browser/shop.ts';

const tills = useTills();

/** The characters of Code 39 (ISO/IEC 16388) that ids need. */
const code39: Record<string, string> = {
  '101001101101': '0',
  '110100101011': '1',
  '101100101011': '2',
  '110110010101': '3',
  '101001101011': '4',
  '110100110101': '5',
  '101100110101': '6',
  '101001011011': '7',
  '110100101101': '8',
  '101100101101': '9',
  '100101101101': '*',
};

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

  it('the label of a pet shows its whole name, its numbers and its id in Code 39, and nothing else', async () => {
    await using place = await makeSqlitePlace();
    const tables = await place.openTables();
    await tables.raiseLastId('pets', 9_071_325_485n);
    await tables.close();
    const { page, service } = await tills.open(
      openListeningService({ openStore: () => place.open() }),
      paper,
    );
    await service.client.createPet({ name: 'Sir Barksalot '.repeat(18), categoryId: 7n });
    await openDetails(page, 'Sir Barksalot');
    expect(await page.locator('.barcode').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.barcode').isVisible()).toBe(true);
    const others = ['.bar', '.pets .row', '.add-pet', '.statuses', '.edit-form', '.details button'];
    expect(await isSeen(page, others)).toEqual(all(others, false));
    expect(await page.locator('.facts').innerText()).toMatch(/^Category 7\s+Id 9071325486$/);
    const [clipped, height, size] = await page.evaluate<[boolean, string, number]>(`{
      const heading = document.querySelector('.details h2');
      const { maxHeight } = getComputedStyle(heading.closest('.details'));
      const size = parseFloat(getComputedStyle(heading).fontSize);
      [heading.scrollHeight > heading.clientHeight, maxHeight, size];
    }`);
    expect([clipped, height]).toEqual([false, 'none']);
    expect(size).toBeGreaterThan(30);
    const bars = await page.evaluate<{ x: number; width: number; space: number }[]>(`{
      const boxes = [...document.querySelectorAll('.barcode rect')].map((bar) => bar.getBBox());
      boxes.map(({ x, width }, index) => ({ x, width, space: (boxes[index + 1]?.x ?? x + width + 1) - x - width }));
    }`);
    // Wide bars and spaces are three times as wide as narrow ones, and scanners need ten of those before the first bar.
    expect(bars[0]!.x).toBeGreaterThanOrEqual(10);
    const modules = bars.map(
      ({ width, space }) => '11'.slice(width > 1 ? 0 : 1) + '00'.slice(space > 1 ? 0 : 1),
    );
    expect(new Set(bars.flatMap(({ width, space }) => [width, space]))).toEqual(new Set([1, 3]));
    // Each character has twelve modules if wide is two of them, and one more parts it from the next.
    const text = modules
      .join('')
      .match(/.{13}/g)!
      .map((character) => code39[character.slice(0, 12)] ?? '?');
    expect(text.join('')).toBe('*9071325486*');
  });
});
