import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { openConsole } from '../../../../../test/support/browser/console.ts';
import { focusedRow, noteOf, openShop, rowOf, soldIn } from '../../../../../test/support/browser/shop.ts';
import { hold, scan, settled, slowDown } from '../helpers.ts';

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
    await service.client.updatePet(2n, { name: 'Mia II' });
    await rowOf(page, 'Mia II').waitFor();
    expect(await page.locator('.row.is-out').count()).toBe(0);
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.locator('.row.is-out').filter({ hasText: 'Mia' }).waitFor();
    expect(await namesOf(page)).toEqual(['Mia II', 'Nala', 'Balu']);
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
    await noteOf(page, 'Take a pet first').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toBe('Mia');
    expect(await soldIn(service)).toEqual([]);
  });

  it('sells pet after pet on a slow network: scan, s, scan, s', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Pet ${index + 1}`);
    const { page, service, complaints } = await tills.open(openShop(...names));
    await rowOf(page, 'Pet 12').waitFor();
    await page.getByRole('searchbox').fill('pet 1');
    await page.locator('.row[data-id="9"]').waitFor({ state: 'detached' });
    await slowDown(page, searches, () => 300);
    await slowDown(page, '**/v1/pets/*', () => 200);
    for (const id of ['0003', '0011', '0012', '0001']) {
      await scan(page, id);
      await page.keyboard.press('s');
    }
    for (const id of [3, 11, 12, 1])
      await noteOf(page, `Pet ${id} (${id}) is sold.`).waitFor({ state: 'attached' });
    expect(await page.locator('#search').inputValue()).toBe('pet 1');
    expect(new Set(await soldIn(service))).toEqual(new Set([1n, 3n, 11n, 12n]));
    expect((await Array.fromAsync(service.client.pets())).map(({ name }) => name)).toEqual(names);
    // After a sale, the focus is on its row, once the search has brought it.
    await page.locator('.row:focus[data-id="1"]').waitFor();
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Pet 1 (1) is available again.').waitFor();
    // A sale that waits for its row is the latest deed: the one before stays.
    const release = await hold(page, searches);
    await scan(page, '0005');
    await page.keyboard.press('s');
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: nothing was done to pet 5.').waitFor();
    release();
    await page.locator('.row[data-id="5"]:focus').waitFor();
    expect(new Set(await soldIn(service))).toEqual(new Set([1n, 3n, 11n, 12n]));
    expect((await service.client.getPet(12n)).status).toBe('sold');
    expect(complaints).toEqual([]);
  });

  it('leaves slower and shorter digits to the field that has the focus', async () => {
    const { page } = await tills.open(openShop('Rex'));
    await page.getByLabel('Name', { exact: true }).focus();
    await scan(page, '2024', 60, 'Tab');
    await scan(page, '007', 10, 'Tab');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('2024');
    await page.getByRole('radio', { name: 'Sold' }).focus();
    await page.keyboard.type('1');
    expect(await searchText(page)).toBe('1');
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('button', { name: 'Reload' }).focus();
    await page.keyboard.type('25');
    expect(await page.getByLabel('Find in this day').inputValue()).toBe('25');
  });

  it('works with shortcuts off, but neither in an open list nor while an input method composes', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    const inHand = () => page.locator('.row[aria-selected=true] .name').allInnerTexts();
    await rowOf(page, 'Rex').waitFor();
    await page.evaluate(`localStorage.setItem('petstore-shortcuts-off', 'true')`);
    await scan(page, '0001');
    await page.locator('.row[data-id="1"]:focus').waitFor();
    await page.keyboard.press('s');
    // The browser itself takes the keys.
    await page.locator('#pet-status').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.locator('#pet-status:open').waitFor();
    await scan(page, '0002');
    expect(await inHand()).toEqual(['Rex']);
    await page.keyboard.press('Escape');
    await page.locator('#pet-name').focus();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await scan(page, '0002', 10, 'Tab');
    expect(await inHand()).toEqual(['Rex']);
    await scan(page, '0002');
    await page.locator('.row[data-id="2"]:focus').waitFor();
    expect(await soldIn(service)).toEqual([]);
  });

  it('sells nothing if the pet is unknown, or not found within two seconds, and says so until OK', async () => {
    const { page, service } = await tills.open(openShop('Rex'));
    await rowOf(page, 'Rex').waitFor();
    await scan(page, '0005');
    await page.keyboard.press('s');
    const unknown = noteOf(page, 'No pet has the id 5. Nothing was done.');
    await unknown.waitFor({ state: 'attached' });
    await page.route(searches, () => {});
    await scan(page, '0009');
    await page.keyboard.press('s');
    await noteOf(page, 'Pet 9 was not found in time. Nothing was done; try again.').waitFor();
    await page.keyboard.press('Escape');
    await unknown.filter({ visible: true }).waitFor();
    await page.keyboard.press('Escape');
    await unknown.waitFor({ state: 'detached' });
    expect(await soldIn(service)).toEqual([]);
  });

  it('leaves an edit as a draft that says so, and Enter does not save it later', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Enter');
    await page.locator('#edit-name').fill('Rexy');
    await scan(page, '0002');
    await noteOf(page, 'Rex (1) is not saved; your text: “\u2068Rexy\u2069”.').waitFor();
    expect(await focusedRow(page)).toBe('Mia');
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#edit-name').inputValue()).toBe('Rex');
    await noteOf(page, 'your text').getByRole('button', { name: 'Edit' }).click();
    await page.locator('#edit-name:focus').waitFor();
    expect(await page.locator('#edit-name').inputValue()).toBe('Rexy');
    await service.client.deletePet(1n);
    await noteOf(page, 'Rex (1) was removed by API_KEYS; your text: “\u2068Rexy\u2069”.').waitFor();
    await scan(page, '0002');
    await page.reload();
    await page.locator('.row[data-id="2"][aria-selected=true]:focus').waitFor();
  });
});
