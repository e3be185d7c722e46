import { describe, expect, it } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useTills } from '../../../../test/support/browser/tills.ts';
import {
  add,
  desktop,
  looks,
  openConsole,
  overflowing,
  rows,
} from '../../../../test/support/browser/console.ts';
import {
  deafen,
  noteOf,
  openDetails,
  openShop,
  openShopOf,
  rowOf,
  soldIn,
} from '../../../../test/support/browser/shop.ts';
import { settled } from './helpers.ts';

const tills = useTills();
const wide: BrowserContextOptions = { viewport: { width: 1920, height: 1000 } };
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  hasTouch: true,
  isMobile: true,
};
/** Half of 1280 by 800 pixels, as at 200 %. */
const zoomed: BrowserContextOptions = { viewport: { width: 640, height: 400 } };
const largest = 2n ** 63n - 1n;

/** Pairs of texts and controls, none inside the other, that share more than a pixel. */
const overlaps = (page: Page, within = 'header, main') =>
  page.evaluate<string[]>(`{
    const parts = [...document.querySelectorAll('${within}')].flatMap((part) => [...part.querySelectorAll('*')]);
    const shown = parts.filter((part) => part.checkVisibility() && !part.closest('.visually-hidden')
      && part.closest('.columns')?.clientWidth !== 1 && !part.matches('label.visually-hidden')
      && !part.matches('[type=radio]') && (part.matches('button, input, select')
      || [...part.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')));
    const boxes = shown.map((part) => [part, part.getBoundingClientRect()]).filter(([, { width }]) => width > 1);
    boxes.flatMap(([a, one], index) => boxes.slice(index + 1)
      .filter(([b, two]) => one.top < two.bottom - 1 && two.top < one.bottom - 1
        && one.left < two.right - 1 && two.left < one.right - 1
        && !a.contains(b) && !b.contains(a))
      .map(([b]) => a.outerHTML.slice(0, 100) + ' / ' + b.outerHTML.slice(0, 100)));
  }`);

describe('the looks of the console', () => {
  for (const [pointer, screens] of Object.entries({ mouse: [desktop, wide, zoomed], touch: [phone] })) {
    it(`overlap nothing and wrap no number with ${pointer}`, async () => {
      await using service = await openShopOf(30);
      for (const name of ['Rex', 'Mia', 'Sir Barksalot the Third of Longname, Duke of Nowhere'])
        await service.client.createPet({ name, categoryId: 7n, status: 'available' });
      await service.client.updatePet(31n, { categoryId: -largest - 1n, status: 'sold' });
      await service.client.updatePet(33n, { categoryId: largest });
      await using visited = await openConsole(tills.browser, service, screens[0]);
      const { page } = visited;
      const heights = (cells: string) =>
        page.locator(cells).evaluateAll((found) => found.map(({ clientHeight }) => clientHeight));
      await rowOf(page, 'Rex').waitFor();
      await service.client.createPet({ name: 'News', categoryId: 1n });
      await page.getByText('1 new pet').waitFor();
      for (const { viewport } of screens) {
        await page.setViewportSize(viewport!);
        expect(await overlaps(page)).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        expect(Math.max(...(await heights('.row .number')))).toBeLessThan(30);
        await rowOf(page, 'Sir Barksalot').press('Enter');
        await page.locator('.details').waitFor();
        expect(Math.max(...(await heights('.facts span')))).toBeLessThan(30);
        expect(await overlaps(page, '.details')).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.locator('.details').waitFor({ state: 'detached' });
      }
      await page.getByRole('link', { name: 'Sales' }).click();
      await page.getByRole('button', { name: 'Change Rex' }).waitFor();
      for (const { viewport } of screens) {
        await page.setViewportSize(viewport!);
        expect(await overlaps(page)).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
      }
    });
  }
});

describe('a name', () => {
  it('shows all its marks, stays within its row and does not reverse the text around it', async () => {
    const { page } = await tills.open(
      openShop('ÜÂỆ\nÜÂỆgjỆ', 'Rex\u202Edlo', 'Ü\u0301\u0302\u0303\u0304\u0305'.repeat(9)),
    );
    const name = page.locator('.row[data-id="1"] .name-text');
    const paint = () => name.screenshot({ animations: 'disabled' });
    const clipped = await paint();
    await name.evaluate((part) => part.style.setProperty('overflow', 'visible'));
    expect(clipped.equals(await paint())).toBe(true);
    expect(await overlaps(page, '.rows')).toEqual([]);
    await page.locator('.row[data-id="2"]').focus();
    await page.keyboard.press('s');
    await noteOf(page, '(2) is sold.').waitFor();
    // What follows the name also stands after it.
    const [end, start] = await page.evaluate<[number, number]>(`{
      const name = document.querySelector('.note bdi');
      const after = document.createRange();
      after.selectNode(name.nextSibling);
      [name.getBoundingClientRect().right, after.getBoundingClientRect().left];
    }`);
    expect(start).toBeGreaterThanOrEqual(end - 1);
  });
});

describe('every state', () => {
  for (const [look, options] of Object.entries(looks)) {
    it(`passes axe and cuts no text on ${look}`, async () => {
      const { page, complaints, findBarriers, service } = await tills.open(
        openShop('Rex', 'Mia', 'Nala ' + 'x'.repeat(250)),
        options,
      );
      const check = async () => {
        expect(await findBarriers()).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
      };
      if (options.isMobile) await page.getByRole('button', { name: 'Add a pet' }).click();
      await add(page, 'New one', ' ');
      await add(page, 'New one', '7');
      await rows(page).getByText('New one').waitFor();
      await check();
      await settled(page);
      if (options.isMobile) await page.getByRole('button', { name: 'Close form' }).click();
      const details = await openDetails(page, 'Rex');
      await details.getByLabel('Name').fill(' ');
      await page.keyboard.press('Enter');
      await details.getByText('Enter a name.').waitFor();
      await details.getByRole('button', { name: 'Sold' }).click();
      await noteOf(page, 'Rex (1) is sold.').waitFor();
      await check();
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'detached' });
      await rowOf(page, 'Nala').focus();
      await page.clock.install();
      await page.keyboard.press('Delete');
      await noteOf(page, 'Nala xxx').filter({ hasText: 'about to be removed' }).waitFor();
      await page.clock.fastForward(10_000);
      await noteOf(page, 'Removed Nala').waitFor();
      await deafen(page);
      await service.client.updatePet(2n, { name: 'Max'.repeat(85), status: 'sold' });
      await rowOf(page, 'Mia').focus();
      await page.keyboard.press('p');
      await noteOf(page, 'Somebody else has sold Mia (2)').waitFor();
      await check();
      expect(complaints).toEqual([]);
    });
  }
});

describe('a phone', () => {
  it('shows the name of the pet above its actions, lets no tap through, and has room for a fingertip', async () => {
    const { page, service } = await tills.open(
      openShop('Rex', ...Array.from({ length: 12 }, (_, index) => `Pet ${index}`)),
      phone,
    );
    const details = await openDetails(page, 'Rex');
    const [named, first, box] = [
      await details.getByRole('heading', { name: 'Rex' }).boundingBox(),
      await details.getByRole('button', { name: 'Available' }).boundingBox(),
      await details.boundingBox(),
    ];
    expect(named!.y).toBeGreaterThan(box!.y);
    expect(named!.y + named!.height).toBeLessThan(first!.y);
    expect(box!.y + box!.height).toBeLessThanOrEqual(760);
    // A button of another pet that can be seen above the details.
    const [x, y] = await page.evaluate<[number, number]>(`{
      const end = document.querySelector('.details').getBoundingClientRect().top;
      const buttons = [...document.querySelectorAll('.row .sell')].map((part) => part.getBoundingClientRect());
      const { left, top } = buttons.findLast(({ bottom }) => bottom < end);
      [left + 5, top + 5];
    }`);
    await page.touchscreen.tap(x, y);
    await details.getByRole('button', { name: 'Sold' }).click();
    await noteOf(page, 'Rex (1) is sold.').waitFor();
    expect(await soldIn(service)).toEqual([1n]);
    // As on a large screen with touch.
    await page.setViewportSize(desktop.viewport!);
    for (const button of await rowOf(page, 'Pet 1').first().getByRole('button').all()) {
      const { width, height } = (await button.boundingBox())!;
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    }
  });
});
