import { describe, expect, it, setDefaultTimeout } from 'bun:test';
import { openListeningService } from '../support/http/listening.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { add, describedBy, openShop, phone, rows, stock, tabTo } from '../support/browser/shop.ts';
import { visit } from '../support/browser/visit.ts';

setDefaultTimeout(60_000);
const chromium = browserOfFile();

describe('adding a pet', () => {
  it('explains each mistake beside its field and then shows the new pet in place', async () => {
    await using service = await openListeningService();
    await stock(service, 3);
    await using visited = await openShop(chromium.browser, service);
    const { page, complaints } = visited;
    await add(page, ' ', '7.5');
    expect(await describedBy(page, 'Name')).toBe('Give the pet a name.');
    expect(await describedBy(page, 'Category')).toBe('Only digits: a category is a whole number, such as 7.');
    expect(await visited.findBarriers()).toEqual([]);
    await add(page, 'Pixel', '9223372036854775808');
    expect(await describedBy(page, 'Category')).toContain('This number is too large');
    await add(page, 'Pixel', '9223372036854775807');
    await page.getByText('Pixel was added with the id 4.').waitFor();
    expect(await rows(page).first().textContent()).toContain('9223372036854775807');
    expect(await rows(page).count()).toBe(4);
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect((await Array.fromAsync(service.client.pets())).length).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('shows what the service says beside the field', async () => {
    await using service = await openListeningService();
    await using visited = await openShop(chromium.browser, service);
    const { page } = visited;
    await page.getByLabel('Category').fill('7');
    // A lone surrogate passes the form and is refused by the service.
    await page.evaluate(`{
      const field = document.getElementById('pet-name');
      field.value = '\\ud800';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('name must be well-formed Unicode').waitFor();
    expect(await describedBy(page, 'Name')).toContain('name must be well-formed Unicode');
  });

  it('says when the filter hides the new pet', async () => {
    await using service = await openListeningService();
    await using visited = await openShop(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Sold' }).check();
    await add(page, 'Hidden', '1');
    await page.getByText('The list shows only sold pets.').waitFor();
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await rows(page).getByText('Hidden').waitFor();
  });

  it('adds one pet when the answer to the first press was lost', async () => {
    await using service = await openListeningService();
    await using visited = await openShop(chromium.browser, service);
    const { page } = visited;
    // The service gets every request; the page gets no answer.
    await page.route('**/v1/pets', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await add(page, 'Once', '1');
    await page.getByText('Not added yet').waitFor();
    await page.unroute('**/v1/pets');
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Once was added').waitFor();
    expect((await Array.fromAsync(service.client.pets())).length).toBe(1);
  });

  it('needs no mouse', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, service.url, phone);
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
