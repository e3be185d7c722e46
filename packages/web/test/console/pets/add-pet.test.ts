import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../../test/support/http/listening.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { add, describedBy, phone, rows, tabTo } from '../../../../../test/support/browser/console.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { openShopOf } from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('the form that adds a pet', () => {
  it('explains each mistake beside its field and then shows the new pet', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShopOf(3));
    await add(page, ' ', '7.5');
    expect(await describedBy(page, 'Name')).toBe('Enter a name.');
    expect(await describedBy(page, 'Category number')).toBe('Enter a whole number, such as 7.');
    expect(await findBarriers()).toEqual([]);
    await add(page, 'Pixel', '9223372036854775808');
    expect(await describedBy(page, 'Category number')).toBe(
      'Category number must be an integer from -9223372036854775808 to 9223372036854775807.',
    );
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

  it('shows a problem beside its field, whether the form or the service finds it', async () => {
    const { page } = await tills.open(openListeningService());
    const creates: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && creates.push(request.url()));
    await page.getByLabel('Category number').fill('-5');
    // Nobody can type a lone surrogate.
    await page.evaluate(`{
      const field = document.getElementById('pet-name');
      field.value = '\\ud800';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Name must be well-formed Unicode').waitFor();
    expect(await describedBy(page, 'Name')).toBe('Name must be well-formed Unicode without U+0000.');
    expect(await describedBy(page, 'Category number')).toBe('');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-name');
    expect(creates).toEqual([]);
    page.on('dialog', (dialog) => dialog.accept());
    await add(page, 'x'.repeat(70_000), '1');
    await page.getByText('This name is too long.').waitFor();
    expect(await describedBy(page, 'Name')).toBe('This name is too long.');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-name');
  });

  it('shows the whole message of the service below the button when it refuses the pet', async () => {
    const { page, findBarriers } = await tills.open(openListeningService());
    const message = 'name is taken. categoryId 7 is closed.';
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 400, json: { code: 'invalid_pet', message, status: 400 } }),
    );
    await add(page, 'Pixel', '7');
    const notice = page.locator('.add-pet').getByRole('alert');
    await notice.waitFor();
    expect(await notice.innerText()).toBe(message);
    const [button, below] = [
      await page.getByRole('button', { name: 'Add pet' }).boundingBox(),
      await notice.boundingBox(),
    ];
    // It does not push the button away.
    expect(button!.y + button!.height).toBeLessThanOrEqual(below!.y);
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('false');
    expect(await findBarriers()).toEqual([]);
    await page.unroute('**/v1/pets');
    await add(page, 'Pixel', '8');
    await page.getByText('Pixel was added with id 1.').waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('adds one pet and shows one confirmation when Enter is pressed twice', async () => {
    const { page, service } = await tills.open(openListeningService());
    await page.getByLabel('Name').fill('Once');
    await page.getByLabel('Category number').fill('-5');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Once was added with id 1.').waitFor();
    // The fields are empty by now.
    await page.keyboard.press('Enter');
    expect(await page.getByText('Once was added with id 1.').count()).toBe(1);
    expect(await page.locator('.add-pet .error:not(:empty)').count()).toBe(0);
    const pets = await Array.fromAsync(service.client.pets());
    expect(pets).toEqual([{ id: 1n, name: 'Once', categoryId: -5n, status: 'available' }]);
  });

  it('asks about a name of more than 200 characters', async () => {
    const { page, service } = await tills.open(openListeningService(), phone);
    await page.getByRole('button', { name: 'Add a pet' }).click();
    const name = '🐈'.repeat(201);
    await page.getByLabel('Category number').fill('1');
    await page.getByLabel('Name').fill(name);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return asked.length === 1 ? dialog.dismiss() : dialog.accept();
    });
    await page.keyboard.press('Enter');
    await page.locator('#pet-name:focus').waitFor();
    expect((await Array.fromAsync(service.client.pets())).length).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('was added with id 1.').waitFor();
    expect((await service.client.getPet(1n)).name).toBe(name);
    expect(asked).toEqual(Array(2).fill('This name has 201 characters. Is that right?'));
    await add(page, '🐈'.repeat(200), '1');
    await page.getByText('was added with id 2.').waitFor();
  });

  it('shows the new pet whatever the filter is', async () => {
    const { page } = await tills.open(openListeningService());
    await page.getByRole('radio', { name: 'Sold' }).check();
    await add(page, 'Hidden', '1');
    await page.getByRole('button', { name: 'Show it' }).click();
    await rows(page).getByText('Hidden').waitFor();
  });

  it('adds one pet when the first response is lost', async () => {
    const { page, service } = await tills.open(openListeningService());
    // The service gets every request; the console gets no response.
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
