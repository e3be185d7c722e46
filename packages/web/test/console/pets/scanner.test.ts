import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { openConsole } from '../../../../../test/support/browser/console.ts';
import { focusedRow, noteOf, openShop, rowOf, soldIn } from '../../../../../test/support/browser/shop.ts';
import { settled, slowDown } from '../helpers.ts';

const tills = useTills();
const searches = '**/v1/pets/search?*';

const namesOf = (page: Page) => page.locator('.name-text').allTextContents();
const searchText = (page: Page) => page.locator('#search:focus').inputValue();

describe('a label scanner', () => {
  it('finds a pet by the digits of its id, whatever the filter is, and then the pets of that category', async () => {
    await using service = await openShop('Rex', 'Mia');
    for (const name of ['Balu', 'Nala'])
      await service.client.createPet({ name, categoryId: 2n, status: 'available' });
    await service.client.updatePet(2n, { status: 'sold' });
    await using visited = await openConsole(tills.browser, service);
    const { page } = visited;
    await slowDown(page, searches, () => 300);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('2\n');
    await page.locator('.row:focus').waitFor();
    expect([await namesOf(page), await focusedRow(page)]).toEqual([['Mia', 'Nala', 'Balu'], 'Mia']);
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.locator('.row.is-out').filter({ hasText: 'Mia' }).waitFor();
    expect(await namesOf(page)).toEqual(['Mia', 'Nala', 'Balu']);
  });

  it('focuses no pet of a category when no pet has the id', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('7\n');
    await page.getByText('No pet has the id 7. These are the pets in category 7.').waitFor();
    expect(await namesOf(page)).toEqual(['Mia', 'Rex']);
    await page.locator('.list:focus').waitFor();
    await settled(page);
    await page.keyboard.press('s');
    await noteOf(page, 'Go to a pet first, with the arrow keys.').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toBe('Mia');
    expect(await soldIn(service)).toEqual([]);
  });

  it('sells pet after pet on a slow network: scan, s, scan, s', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Pet ${index + 1}`);
    const { page, service, complaints } = await tills.open(openShop(...names));
    await rowOf(page, 'Pet 12').waitFor();
    await slowDown(page, searches, () => 300);
    await slowDown(page, '**/v1/pets/*', () => 200);
    for (const id of [3, 11, 12, 1]) {
      await page.keyboard.type(`${id}\ns`);
      expect(await searchText(page)).toBe(`${id}`);
    }
    for (const id of [3, 11, 12, 1])
      await noteOf(page, `Pet ${id} (${id}) is sold.`).waitFor({ state: 'attached' });
    expect(new Set(await soldIn(service))).toEqual(new Set([1n, 3n, 11n, 12n]));
    expect((await Array.fromAsync(service.client.pets())).map(({ name }) => name)).toEqual(names);
    expect(complaints).toEqual([]);
  });

  it('sells the pet whose row has just arrived, and goes back to the search', async () => {
    const { page, service } = await tills.open(openShop('Scan A', 'Scan B', 'Scan C'));
    // The time in which new rows take nothing stands still.
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
    await page.keyboard.type('1\n');
    await page.locator('.row[data-id="1"]:focus').waitFor();
    await page.keyboard.press('s');
    expect(await searchText(page)).toBe('1');
    await noteOf(page, 'Scan A (1) is sold.').waitFor();
    // Scanned twice, from the row on: no letter of it reaches the pet.
    for (const _ of [1, 2]) {
      await page.keyboard.type('2\n');
      await page.locator('.row[data-id="2"]:focus').waitFor();
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('3\n');
    await page.locator('.row[data-id="3"]:focus').waitFor();
    expect(await page.locator('.details').count()).toBe(0);
    expect(await soldIn(service)).toEqual([1n]);
  });

  it('types into the field that has the focus', async () => {
    const { page } = await tills.open(openShop('Rex'));
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('10');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('10');
    await page.getByRole('radio', { name: 'Sold' }).focus();
    await page.keyboard.type('1');
    expect(await searchText(page)).toBe('1');
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('button', { name: 'Reload' }).focus();
    await page.keyboard.type('25');
    expect(await page.getByLabel('Find in this day').inputValue()).toBe('25');
  });

  it('sells nothing if the pet is unknown, or not found within two seconds', async () => {
    const { page, service } = await tills.open(openShop('Rex'));
    await rowOf(page, 'Rex').waitFor();
    await slowDown(page, searches, () => 300);
    await page.keyboard.type('5\ns');
    await noteOf(page, 'No pet has the id 5. Nothing was done.').waitFor();
    await page.unroute(searches);
    await page.route(searches, () => {});
    await page.keyboard.type('1\ns');
    await noteOf(page, 'Pet 1 was not found in time. Nothing was done; try again.').waitFor();
    expect(await soldIn(service)).toEqual([]);
  });
});
