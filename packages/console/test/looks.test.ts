import { describe, expect, it } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { addPets, desktop, openConsole, overflowing, rows } from '../../../test/support/browser/console.ts';
import { noteOf, openDetails, openShop, rowOf, tillOf } from '../../../test/support/browser/shop.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';

const chromium = browserOfFile();
const wide: BrowserContextOptions = { viewport: { width: 1920, height: 1000 } };
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  hasTouch: true,
  isMobile: true,
};
/** A screen of 1280 by 800 pixels at 200 %. */
const zoomed: BrowserContextOptions = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
const screens = { desktop, wide, phone, zoomed };
const largest = 2n ** 63n - 1n;

/** Pairs of texts and controls, none inside the other, that share more than a pixel. */
const overlaps = (page: Page, within = 'header, main') =>
  page.evaluate<string[]>(`{
    const parts = [...document.querySelectorAll('${within}')].flatMap((part) => [...part.querySelectorAll('*')]);
    const shown = parts.filter((part) => part.checkVisibility() && !part.closest('.visually-hidden')
      && part.closest('.columns')?.clientWidth !== 1
      && !part.matches('[type=radio]') && (part.matches('button, input, select')
      || [...part.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')));
    const boxes = shown.map((part) => [part, part.getBoundingClientRect()]).filter(([, { width }]) => width > 1);
    boxes.flatMap(([a, one], index) => boxes.slice(index + 1)
      .filter(([b, two]) => one.top < two.bottom - 1 && two.top < one.bottom - 1
        && one.left < two.right - 1 && two.left < one.right - 1
        && !a.contains(b) && !b.contains(a))
      .map(([b]) => a.outerHTML.slice(0, 100) + ' / ' + b.outerHTML.slice(0, 100)));
  }`);

/** What the notes cover of rows and cards, but for what lies behind the search or a heading that stays in sight. */
const coveredByNotes = (page: Page) =>
  page.evaluate<string[]>(`{
    const boxOf = (part) => part.getBoundingClientRect();
    const notes = [...document.querySelectorAll('.note')].map(boxOf);
    const end = boxOf(document.querySelector('.notes')).bottom;
    const isNarrow = getComputedStyle(document.querySelector('.notes')).position === 'fixed';
    const bands = isNarrow ? [...document.querySelectorAll('.search, .sales .heading, .day h2')].map(boxOf) : [];
    let start = 0;
    for (const band of bands) if (band.top <= start + 1) start = Math.max(start, band.bottom);
    const isCovered = (part) => {
      const { left, right, ...box } = boxOf(part).toJSON();
      const top = Math.max(box.top, start);
      const bottom = Math.min(box.bottom, innerHeight, end, boxOf(part.closest('.panels') ?? part).bottom);
      return notes.some((note) => left < note.right && note.left < right
        && Math.max(top, note.top) < Math.min(bottom, note.bottom));
    };
    [...document.querySelectorAll('.row, .card')].filter(isCovered).map((part) => part.outerHTML.slice(0, 100));
  }`);

describe('the looks of the console', () => {
  for (const [screen, options] of Object.entries(screens)) {
    it(`overlap nothing, wrap no number, and let what is told cover no data: ${screen}`, async () => {
      await using service = await openListeningService();
      await addPets(service, 60);
      for (const name of ['Rex', 'Mia', 'Sir Barksalot the Third of Longname, Duke of Nowhere'])
        await service.client.createPet({ name, categoryId: 7n, status: 'available' });
      await service.client.updatePet(61n, { categoryId: -largest - 1n, status: 'sold' });
      await service.client.updatePet(63n, { categoryId: largest });
      await using visited = await openConsole(chromium.browser, service, options);
      const { page } = visited;
      const heights = (cells: string) =>
        page.locator(cells).evaluateAll((found) => found.map(({ clientHeight }) => clientHeight));
      await rowOf(page, 'Rex').waitFor();
      await service.client.createPet({ name: 'News', categoryId: 1n });
      await page.getByText('1 new pet').waitFor();
      expect(await overlaps(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      expect(Math.max(...(await heights('.row .number')))).toBeLessThan(30);
      await page.getByRole('searchbox').fill('7');
      await page.getByRole('button', { name: 'Category 7' }).waitFor();
      expect(await overlaps(page)).toEqual([]);
      await page.getByRole('searchbox').fill('');
      await openDetails(page, 'Sir Barksalot');
      expect(Math.max(...(await heights('.facts span')))).toBeLessThan(30);
      expect(await overlaps(page, '.details')).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Sales' }).click();
      await page.getByRole('button', { name: 'Take back Rex' }).waitFor();
      expect(await overlaps(page)).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      await page.getByRole('link', { name: 'Pets', exact: true }).click();
      await rows(page).nth(40).waitFor();
      if (screen === 'wide' || screen === 'desktop') await openDetails(page, 'Pet 59');
      // A note that has the focus does not end.
      const covered = async () => {
        await page.locator('.note button').last().focus();
        return coveredByNotes(page);
      };
      // Three changes, far down the list.
      for (const id of [31, 28, 29]) {
        await page.locator(`.row[data-id="${id}"]`).focus();
        await page.keyboard.press('s');
        await noteOf(page, `Pet ${id - 1} is sold.`).waitFor();
        expect(await covered()).toEqual([]);
      }
      await page.goto(`${service.url}/#/sales`);
      await page.getByRole('button', { name: 'Take back' }).first().click();
      await noteOf(page, 'is available.').waitFor();
      expect(await covered()).toEqual([]);
      await page.locator('.sale').nth(20).scrollIntoViewIfNeeded();
      expect(await covered()).toEqual([]);
    });
  }

  it('keep the headers of the columns in sight', async () => {
    await using service = await openListeningService();
    await addPets(service, 60);
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await rows(page).nth(50).scrollIntoViewIfNeeded();
    for (const name of ['Name', 'Status', 'Category', 'Id'])
      await page.getByRole('columnheader', { name }).click({ trial: true });
    const [headers, find] = [
      await page.locator('.columns').boundingBox(),
      await page.locator('.find').boundingBox(),
    ];
    expect(find!.y).toBe(0);
    expect(Math.abs(headers!.y - find!.height)).toBeLessThan(2);
  });

  it('lead Esc out of every field', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const focused = () => page.evaluate<string>('document.activeElement.tagName');
    for (const id of ['pet-name', 'pet-categoryId', 'pet-status']) {
      await page.locator(`#${id}`).focus();
      await page.keyboard.press('Escape');
      expect([id, await focused()]).toEqual([id, 'BODY']);
    }
    await page.getByRole('searchbox').fill('re');
    await page.keyboard.press('Escape');
    expect([await focused(), await page.getByRole('searchbox').inputValue()]).toEqual(['INPUT', '']);
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('BODY');
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Enter');
    await page.locator('#edit-name:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.row:focus').waitFor();
    // What was typed into the form to add a pet is still there.
    await page.locator('#pet-name').fill('Half a na');
    await page.keyboard.press('Escape');
    expect(await page.locator('#pet-name').inputValue()).toBe('Half a na');
  });
});

describe('a phone', () => {
  it('shows the name of the pet above what can be done with it, and lets no tap through', async () => {
    await using service = await openShop('Rex', ...Array.from({ length: 12 }, (_, index) => `Pet ${index}`));
    await using visited = await openConsole(chromium.browser, service, phone);
    const { page } = visited;
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
      const buttons = [...document.querySelectorAll('.row button.plain')].map((part) => part.getBoundingClientRect());
      const { left, top } = buttons.findLast(({ bottom }) => bottom < end);
      [left + 5, top + 5];
    }`);
    await page.touchscreen.tap(x, y);
    await details.getByRole('button', { name: 'Sold' }).click();
    await noteOf(page, 'Rex is sold.').waitFor();
    expect((await Array.fromAsync(tillOf(service).orders())).map(({ petId }) => petId)).toEqual([1n]);
  });
});

describe('on paper', () => {
  const paper: BrowserContextOptions = { viewport: { width: 794, height: 1123 }, colorScheme: 'dark' };
  const isSeen = (page: Page, parts: string[]) =>
    Promise.all(parts.map(async (part) => [part, await page.locator(part).first().isVisible()]));
  const all = (parts: string[], seen: boolean) => parts.map((part) => [part, seen]);

  it('the list is all rows without anything to press', async () => {
    await using service = await openListeningService();
    await addPets(service, 40);
    await using visited = await openConsole(chromium.browser, service, {
      ...paper,
      viewport: { width: 1123, height: 794 },
    });
    const { page } = visited;
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

  it('the label of one pet shows all of its name and its numbers, and nothing else', async () => {
    await using service = await openShop('Rex', 'Sir Barksalot '.repeat(20));
    await using visited = await openConsole(chromium.browser, service, paper);
    const { page } = visited;
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
