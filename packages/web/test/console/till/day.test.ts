import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { add, desktop, phone, rows } from '../../../../../test/support/browser/console.ts';
import { noteOf, openShop, rowOf } from '../../../../../test/support/browser/shop.ts';
import { scan, valuesOf } from '../helpers.ts';

const tills = useTills();
/** Details beside the list, and above it. */
const sizes = { 'a desktop': desktop, 'a phone': phone };

const go = (page: Page, name: string) => page.getByRole('link', { name }).click();

/** Puts the focus somewhere on a page. The pet in hand is the one before. */
const places: Record<string, (page: Page) => Promise<unknown>> = {
  'the page': (page) => page.evaluate('document.activeElement.blur()'),
  search: (page) => page.locator('#search').focus(),
  'search with a text': (page) => page.locator('#search').fill('Pet'),
  'the filter by category': (page) => page.locator('.category-filter').focus(),
  'a status': (page) => page.getByRole('radio', { name: 'All' }).focus(),
  'a row': (page) => page.locator('.row[tabindex="0"]').focus(),
  Sell: (page) => page.locator('.sell[tabindex="0"]').focus(),
  menu: (page) => page.locator('.menu-button[tabindex="0"]').focus(),
  ...Object.fromEntries(
    ['pet-name', 'pet-categoryId', 'pet-status'].map((id) => [id, (page: Page) => inForm(page, id)]),
  ),
  'the name in the details': (page) => inDetails(page, '#edit-name'),
  'the category in the details': (page) => inDetails(page, '#edit-categoryId'),
  'Sell in the details': (page) => inDetails(page, '.primary'),
  help: (page) => page.keyboard.press('?'),
  'a link': (page) => page.getByRole('link', { name: 'Sales' }).focus(),
  'the sales': (page) => go(page, 'Sales'),
  'the search of the sales': (page) => inSales(page, 'input[type=search]'),
  'the day of the sales': (page) => inSales(page, 'input[type=date]'),
  'a button of the sales': (page) => inSales(page, '.steps button'),
  'a sale': async (page) => {
    await inSales(page, '.sale button');
    await page.keyboard.press('Enter');
    await page.locator('.details #edit-name').focus();
  },
  'the categories': (page) => inCategories(page, 'a[aria-current]'),
  'a new category': (page) => inCategories(page, '#category-name'),
  'its number': (page) => inCategories(page, '#category-number'),
  'the question for a name': async (page) => {
    await inCategories(page, '.category-row button:nth-child(2)');
    await page.keyboard.press('Enter');
    await page.locator('#question-field:focus').waitFor();
  },
};

async function inForm(page: Page, id: string): Promise<void> {
  const toggle = page.getByRole('button', { name: 'Add a pet' });
  if (await toggle.isVisible()) await toggle.click();
  await page.locator(`#${id}`).focus();
}

async function inDetails(page: Page, part: string): Promise<void> {
  await page.locator('.row:focus').press('Enter');
  await page.locator(`.details ${part}`).last().focus();
}

async function inSales(page: Page, part: string): Promise<void> {
  await go(page, 'Sales');
  await page.locator(`.sales ${part}`).first().focus();
}

async function inCategories(page: Page, part: string): Promise<void> {
  await go(page, 'Categories');
  await page.locator('.categories').waitFor();
  await page.locator(part).first().focus();
}

describe('a day of scans', () => {
  for (const [size, options] of Object.entries(sizes)) {
    it(`shows each pet and changes none, wherever the focus is, on ${size}`, async () => {
      const where = Object.entries(places);
      const names = where.map((_, index) => `Pet ${index + 1}`);
      const { page, service, complaints } = await tills.open(openShop(...names), options);
      await service.client.putCategory(7n, '7 Dogs');
      await service.client.putCategory(0n, '0 Cats');
      await service.client.updatePet(1n, { status: 'sold' });
      const writes: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') writes.push(`${request.method()} ${request.url()}`);
      });
      await rows(page)
        .nth(names.length - 1)
        .waitFor();
      for (const [index, [place, focus]] of where.entries()) {
        const id = index + 1;
        await focus(page);
        const before = await page.locator('#search, #pet-name, #pet-categoryId').evaluateAll(valuesOf);
        const end = id % 3 === 0 ? 'Tab' : 'Enter';
        await scan(page, id.toString().padStart(4, '0'), 10, end);
        await page.locator(`.row[data-id="${id}"]:focus[aria-selected=true]`).waitFor();
        const after = await page.locator('#search, #pet-name, #pet-categoryId').evaluateAll(valuesOf);
        if (before.length > 0) expect([place, after]).toEqual([place, before]);
        expect([place, await page.locator('dialog[open], .details').count()]).toEqual([place, 0]);
        if (place.startsWith('search')) await page.locator('#search').fill('');
      }
      expect(writes).toEqual([]);
      expect(await page.locator('.note').count()).toBe(0);
      expect(complaints).toEqual([]);
    });
  }
});

describe('an outage', () => {
  it('ends with all that it stopped: a sale, another name, a removal and a new pet', async () => {
    const { page, service, complaints } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Rex').waitFor();
    await service.goAway();
    await scan(page, '0001');
    await page.keyboard.press('s');
    await noteOf(page, 'Rex (1) may not have been sold.').waitFor();
    await scan(page, '0002');
    await page.keyboard.press('Enter');
    await page.locator('#edit-name').fill('Mio');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Mia (2) may not have been changed.').waitFor();
    await scan(page, '0003');
    // It also sets the time of keys, so there is no scan from here on.
    await page.clock.install();
    await page.keyboard.press('Delete');
    await add(page, 'Kiwi', '7');
    await noteOf(page, '\u2068Kiwi\u2069 is not added yet.').waitFor();
    await page.clock.fastForward(60_000);
    await noteOf(page, 'Balu (3) may not have been removed.').waitFor();
    service.comeBack();
    await noteOf(page, 'Removed Balu (3).').waitFor({ state: 'attached' });
    await page.getByText('Kiwi was added with id 4.').waitFor();
    await noteOf(page, 'Rex (1) is sold.').waitFor({ state: 'attached' });
    await noteOf(page, 'Saved Mio (2).').waitFor({ state: 'attached' });
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Rex sold',
      'Mio available',
      'Kiwi available',
    ]);
    expect(complaints).toEqual([]);
  });
});
