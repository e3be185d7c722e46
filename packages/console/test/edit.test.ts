import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { looks, openConsole, overflowing } from '../../../test/support/browser/console.ts';
import {
  focusedRow,
  noteOf,
  openDetails,
  openShop,
  rowOf,
  tillOf,
} from '../../../test/support/browser/shop.ts';

const chromium = browserOfFile();

async function edit(page: Page, name: string) {
  await rowOf(page, name).focus();
  // Somebody types on as soon as the field is there.
  await page.evaluate(`new MutationObserver(() => {
    if (document.getElementById('edit-name')) window.firstFocus ??= document.activeElement.id;
  }).observe(document.body, { subtree: true, childList: true })`);
  await page.keyboard.press('Enter');
  const form = page.getByRole('form', { name: `Edit ${name}` });
  await form.waitFor();
  expect(await page.evaluate<string>('window.firstFocus')).toBe('edit-name');
  return { form, name: form.getByLabel('Name'), category: form.getByLabel('Category number') };
}

describe('editing a pet in its row', () => {
  it('saves the name and the category with Enter', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    const { form, name, category } = await edit(page, 'Rex');
    await name.fill('Max');
    await category.fill(' -9223372036854775808 ');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved Max.').waitFor();
    expect(await form.count()).toBe(0);
    expect(await focusedRow(page)).toBe('Max');
    const saved = { id: 1n, name: 'Max', categoryId: -(2n ** 63n), status: 'available' } as const;
    expect(await service.client.getPet(1n)).toMatchObject(saved);
    await page.keyboard.press('u');
    await noteOf(page, 'Saved Rex.').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ ...saved, name: 'Rex', categoryId: 7n });
    expect(complaints).toEqual([]);
  });

  it('sends nothing on Escape or without a change', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
    const first = await edit(page, 'Rex');
    await first.name.fill('Max');
    await page.keyboard.press('Escape');
    await first.form.waitFor({ state: 'detached' });
    expect(await focusedRow(page)).toBe('Rex');
    const second = await edit(page, 'Rex');
    expect(await second.name.inputValue()).toBe('Rex');
    await page.keyboard.press('Enter');
    await second.form.waitFor({ state: 'detached' });
    expect(await focusedRow(page)).toBe('Rex');
    expect(changes).toEqual([]);
  });

  it('shows each problem at its field', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const { form, name, category } = await edit(page, 'Rex');
    await name.fill(' ');
    await category.fill('7.5');
    await page.keyboard.press('Enter');
    await form.getByText('Enter a name.').waitFor();
    expect(await page.locator('#edit-categoryId-help').innerText()).toBe('Enter a whole number, such as 7.');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('edit-name');
    expect(await visited.findBarriers()).toEqual([]);
    await name.fill('Rex');
    await category.fill('9223372036854775808');
    await page.keyboard.press('Enter');
    await form.getByText('Category number must be an integer from').waitFor();
    expect((await service.client.getPet(1n)).categoryId).toBe(7n);
  });

  it('shows what the service refuses and keeps the form', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const { form, name } = await edit(page, 'Rex');
    await name.fill('x'.repeat(70_000));
    page.on('dialog', (dialog) => dialog.accept());
    await page.keyboard.press('Enter');
    await form.getByText('This name is too long.').waitFor();
    await page.route('**/v1/pets/1', (route) =>
      route.fulfill({ status: 400, json: { code: 'invalid_pet', message: 'name is taken.', status: 400 } }),
    );
    await name.fill('Max');
    await page.keyboard.press('Enter');
    await form.getByText('name is taken.').waitFor();
    expect(await name.inputValue()).toBe('Max');
    expect(await visited.findBarriers()).toEqual([]);
  });

  it('asks about a name of more than 200 characters', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const { name } = await edit(page, 'Rex');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return asked.length === 1 ? dialog.dismiss() : dialog.accept();
    });
    const long = 'x'.repeat(201);
    await name.fill(long);
    await page.keyboard.press('Enter');
    await page.locator('#edit-name:focus').waitFor();
    expect(asked).toEqual(['This name has 201 characters. Is that right?']);
    expect((await service.client.getPet(1n)).name).toBe('Rex');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved xxx').waitFor();
    expect((await service.client.getPet(1n)).name).toBe(long);
  });

  it('keeps a name with line breaks when only the category changes', async () => {
    await using service = await openShop('Two\nlines');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await openDetails(page, 'Two');
    await page.getByRole('form', { name: 'Edit' }).getByLabel('Category number').fill('8');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Two\nlines', categoryId: 8n });
  });

  it('keeps what was typed when the pet no longer fits the filter', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.waitForResponse('**/v1/pets/search?*status=available*');
    const { name } = await edit(page, 'Rex');
    await name.fill('Max');
    await tillOf(service).updatePet(1n, { status: 'sold' });
    await page.locator('.row.is-out').filter({ hasText: 'Rex' }).waitFor();
    expect(await name.inputValue()).toBe('Max');
    await name.press('Enter');
    await noteOf(page, 'Somebody else has sold Rex in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Save it anyway' }).click();
    await noteOf(page, 'Saved Max.').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Max', status: 'sold' });
  });

  for (const [look, options] of Object.entries(looks)) {
    it(`passes axe and fits on ${look}`, async () => {
      await using service = await openShop('Rex', 'Mia');
      await using visited = await openConsole(chromium.browser, service, options);
      const { form, name } = await edit(visited.page, 'Mia');
      await name.fill(' ');
      await visited.page.keyboard.press('Enter');
      await form.getByText('Enter a name.').waitFor();
      expect(await visited.findBarriers()).toEqual([]);
      expect(await overflowing(visited.page)).toEqual([]);
      expect(visited.complaints).toEqual([]);
    });
  }
});
