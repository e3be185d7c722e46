import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { openListeningService } from '../../../../../test/support/http/listening.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { add, describedBy, phone, rows, tabTo } from '../../../../../test/support/browser/console.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { calmDown, noteOf, openShopOf } from '../../../../../test/support/browser/shop.ts';

const tills = useTills();
const typedName = (page: Page) => page.getByLabel('Name', { exact: true }).inputValue();

/** Adds a pet from the name on, as fast as the keys go. */
async function type(page: Page, name: string): Promise<void> {
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.type('7\n');
}

describe('the form that adds a pet', () => {
  it('explains each mistake beside its field and then shows the new pet', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShopOf(3));
    await add(page, ' ', '7.5');
    expect(await describedBy(page, 'Name')).toBe('Enter a name.');
    expect(await describedBy(page, 'Category')).toBe('No category has this name yet.');
    expect(await findBarriers()).toEqual([]);
    await add(page, 'Pixel', '9223372036854775808');
    expect(await describedBy(page, 'Category')).toBe(
      'Category must be an integer from -9223372036854775808 to 9223372036854775807.',
    );
    // Nobody can type a lone surrogate.
    await page.evaluate(`{
      const field = document.getElementById('pet-name');
      field.value = '\\ud800';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Name must be well-formed Unicode without U+0000.').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-name');
    await add(page, 'Pixel', '9223372036854775807');
    await page.getByText('Pixel was added with id 4.').waitFor();
    // At once, above pets that others have added in the meantime, and only those are news.
    expect(await rows(page).count()).toBe(4);
    expect(await rows(page).first().textContent()).toContain('9223372036854775807');
    await service.client.createPet({ name: 'Other', categoryId: 1n });
    await page.getByText('1 new pet').waitFor();
    expect((await Array.fromAsync(service.client.pets())).length).toBe(5);
    expect(complaints).toEqual([]);
  });

  it('brings a pet that the service refuses back to the form, with the whole message', async () => {
    const { page, findBarriers } = await tills.open(openListeningService());
    await add(page, 'x'.repeat(256), '1');
    await page.getByText('Name must have at most 255 characters.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByLabel('Category', { exact: true }).fill('');
    const message = 'name is taken. categoryId 7 is closed.';
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 400, json: { code: 'invalid_pet', message, status: 400 } }),
    );
    await add(page, 'Pixel', '7');
    const note = noteOf(page, `\u2068Pixel\u2069 is not added yet. ${message}`);
    await note.waitFor();
    expect(await typedName(page)).toBe('');
    expect(await findBarriers()).toEqual([]);
    // Nothing that somebody has begun to type is overwritten.
    await page.getByLabel('Name', { exact: true }).fill('Ne');
    await calmDown(page);
    await note.getByRole('button', { name: 'Edit' }).click();
    await noteOf(page, 'There is another text in the form. Save that first, or clear it.').waitFor();
    expect(await typedName(page)).toBe('Ne');
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('button', { name: '1 more' }).click();
    await noteOf(page, 'Pixel').getByRole('button', { name: 'Edit' }).click();
    await page.locator('#pet-name:focus').waitFor();
    expect(await typedName(page)).toBe('Pixel');
    await page.unroute('**/v1/pets');
    await page.getByLabel('Category', { exact: true }).fill('8');
    await page.keyboard.press('Enter');
    await page.getByText('Pixel was added with id 1.').waitFor();
    expect(await noteOf(page, 'Pixel').count()).toBe(0);
  });

  it('adds one pet and shows one confirmation when Enter is pressed twice', async () => {
    const { page, service } = await tills.open(openListeningService());
    await page.getByLabel('Name').fill('Once');
    await page.getByLabel('Category', { exact: true }).fill('-5');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Once was added with id 1.').waitFor();
    // The fields are empty by now.
    await page.keyboard.press('Enter');
    expect(await page.getByText('Once was added with id 1.').count()).toBe(1);
    expect(await page.locator('.add-pet .error:not(:empty)').count()).toBe(0);
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets).toEqual([{ id: 1n, name: 'Once', categoryId: -5n, status: 'available' }]);
    // A new pet is shown whatever the filter is.
    await page.getByRole('radio', { name: 'Sold' }).check();
    await add(page, 'Hidden', '1');
    await page.getByRole('button', { name: 'Show it' }).click();
    await rows(page).getByText('Hidden').waitFor();
  });

  it('loses no letter of a fast typist on a slow network, and adds the pets in order', async () => {
    const { page, service } = await tills.open(openListeningService());
    let [underWay, most] = [0, 0];
    await page.route('**/v1/pets', async (route) => {
      most = Math.max(most, ++underWay);
      await Bun.sleep(250);
      await route.continue();
    });
    page.on('requestfinished', (request) => request.method() === 'POST' && (underWay -= 1));
    const names = Array.from({ length: 8 }, (_, index) => `Pet number ${index}`);
    await page.locator('#pet-name').focus();
    for (const typed of names) await type(page, typed);
    expect(await typedName(page)).toBe('');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-name');
    await page.getByText('Pet number 7 was added with id 8.').waitFor();
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets.map((pet) => pet.name)).toEqual(names);
    expect(most).toBe(1);
  });

  it('adds a pet once whose response was lost, by itself and after a reload, and signing out leaves nothing', async () => {
    const { page, service } = await tills.open(openListeningService());
    await page.route('**/v1/pets', (route) => route.fetch().then(() => route.abort()));
    await page.locator('#pet-name').focus();
    await type(page, 'Rex');
    await noteOf(page, '\u2068Rex\u2069 is not added yet. The service cannot be reached.').waitFor();
    await page.unroute('**/v1/pets');
    await page.getByText('Rex was added with id 1.').waitFor();
    // The service gets the next pet; the console gets no response.
    const arrived = Promise.withResolvers<void>();
    await page.route('**/v1/pets', (route) => route.fetch().then(() => arrived.resolve()));
    for (const typed of ['Mia', 'Tom']) await type(page, typed);
    await page.keyboard.type('Half a na');
    await arrived.promise;
    await page.unroute('**/v1/pets');
    await page.reload();
    await page.getByText('Tom was added with id 3.').waitFor();
    expect(await typedName(page)).toBe('Half a na');
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets.map((pet) => pet.name)).toEqual(['Rex', 'Mia', 'Tom']);
    await page.route('**/v1/pets', () => {});
    await add(page, 'Balu', '7');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const question = page.getByRole('dialog', { name: 'One change is not saved yet.' });
    await question.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0);
  });

  it('works without a mouse', async () => {
    await using service = await openListeningService();
    await using visited = await visit(tills.browser, service.url, phone);
    const { page } = visited;
    await page.locator('#key:focus').waitFor();
    await page.keyboard.type(service.apiKey);
    await page.keyboard.press('Enter');
    await page.getByText('No pets yet').waitFor();
    await tabTo(page, 'Add a pet');
    await page.keyboard.press('Enter');
    await page.locator('#pet-name:focus').waitFor();
    await page.keyboard.type('Keys');
    await page.keyboard.press('Tab');
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await rows(page).getByText('Keys').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    await noteOf(page, 'Removed Keys (1).').waitFor();
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
  });
});
