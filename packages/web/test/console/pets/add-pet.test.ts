import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { openListeningService } from '../../../../../test/support/http/listening.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { add, describedBy, phone, rows, tabTo } from '../../../../../test/support/browser/console.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { openShopOf } from '../../../../../test/support/browser/shop.ts';

const tills = useTills();
const typedName = (page: Page) => page.getByLabel('Name', { exact: true }).inputValue();

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
    // At once, above pets that others have added in the meantime.
    expect(await rows(page).count()).toBe(4);
    expect(await rows(page).first().textContent()).toContain('9223372036854775807');
    expect(await page.locator('.news').innerText()).toBe('');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect((await Array.fromAsync(service.client.pets())).length).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('shows the whole message of a refusal and keeps what was typed', async () => {
    const { page, findBarriers } = await tills.open(openListeningService());
    await add(page, 'x'.repeat(70_000), '1');
    await page.getByText('This name is too long.').waitFor();
    const message = 'name is taken. categoryId 7 is closed.';
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 400, json: { code: 'invalid_pet', message, status: 400 } }),
    );
    await add(page, 'Pixel', '7');
    await page.getByRole('alert').getByText(`Not added yet. ${message}`).waitFor();
    expect(await typedName(page)).toBe('Pixel');
    expect(await findBarriers()).toEqual([]);
    await page.unroute('**/v1/pets');
    await page.getByLabel('Category', { exact: true }).fill('8');
    await page.keyboard.press('Enter');
    await page.getByText('Pixel was added with id 1.').waitFor();
    expect(await page.getByText('Not added yet').count()).toBe(0);
  });

  it('adds one pet when Enter is pressed twice, and is ready for the next', async () => {
    const { page, service } = await tills.open(openListeningService());
    await page.getByLabel('Name').fill('Once');
    await page.getByLabel('Category', { exact: true }).fill('-5');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Once was added with id 1.').waitFor();
    await page.locator('#pet-name:focus').waitFor();
    expect(await typedName(page)).toBe('');
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets).toEqual([{ id: 1n, name: 'Once', categoryId: -5n, status: 'available' }]);
    // A new pet is shown whatever the filter is.
    await page.getByRole('radio', { name: 'Sold' }).check();
    await add(page, 'Hidden', '1');
    await page.getByRole('button', { name: 'Show it' }).click();
    await rows(page).getByText('Hidden').waitFor();
  });

  it('adds a pet once whose response was lost, after a reload, too', async () => {
    const { page, service } = await tills.open(openListeningService());
    await page.route('**/v1/pets', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await add(page, 'Rex', '7');
    await page.getByText('Not added yet. The service cannot be reached.').waitFor();
    await page.unroute('**/v1/pets');
    await page.reload();
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Rex was added with id 1.').waitFor();
    expect((await Array.fromAsync(service.client.pets())).length).toBe(1);
    // Whoever signs out leaves nothing behind.
    await page.getByLabel('Name', { exact: true }).fill('Half a na');
    await page.getByRole('button', { name: 'Sign out' }).click();
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
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
  });
});
