import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import {
  focusedRow,
  noteOf,
  openDetails,
  openShop,
  rowOf,
} from '../../../../../test/support/browser/shop.ts';
import { settled } from '../helpers.ts';

const tills = useTills();

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
  return { form, name: form.getByLabel('Name'), category: form.getByLabel('Category', { exact: true }) };
}

describe('editing a pet in its row', () => {
  it('sends nothing on Escape or without a change, and saves the name and the category with Enter', async () => {
    const { page, complaints, service } = await tills.open(openShop('Rex', 'Mia'));
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
    for (const [typed, key] of [
      ['Max', 'Escape'],
      ['Rex', 'Enter'],
    ] as const) {
      const before = await edit(page, 'Rex');
      expect(await before.name.inputValue()).toBe('Rex');
      await before.name.fill(typed);
      await page.keyboard.press(key);
      await before.form.waitFor({ state: 'detached' });
      expect(await focusedRow(page)).toBe('Rex');
    }
    expect(changes).toEqual([]);
    const { form, name, category } = await edit(page, 'Rex');
    await name.fill('Max');
    await category.fill(' -9223372036854775808 ');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved Max (1).').waitFor();
    expect(await form.count()).toBe(0);
    expect(await focusedRow(page)).toBe('Max');
    const saved = { id: 1n, name: 'Max', categoryId: -(2n ** 63n), status: 'available' } as const;
    expect(await service.client.getPet(1n)).toMatchObject(saved);
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Rex (1) is as it was before.').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ ...saved, name: 'Rex', categoryId: 7n });
    expect(complaints).toEqual([]);
  });

  it('shows each problem at its field, and what the service refuses', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex'));
    const { form, name, category } = await edit(page, 'Rex');
    await name.fill(' ');
    await category.fill('7.5');
    await page.keyboard.press('Enter');
    await form.getByText('Enter a name.').waitFor();
    expect(await page.locator('#edit-categoryId-error').innerText()).toBe('No category has this name yet.');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('edit-name');
    expect(await findBarriers()).toEqual([]);
    await name.fill('Rex');
    await category.fill('9223372036854775808');
    await page.keyboard.press('Enter');
    await form.getByText('Category must be an integer from').waitFor();
    expect((await service.client.getPet(1n)).categoryId).toBe(7n);
    await category.fill('7');
    await name.fill('x'.repeat(256));
    await page.keyboard.press('Enter');
    await form.getByText('Name must have at most 255 characters.').waitFor();
    await page.route('**/v1/pets/1', (route) =>
      route.fulfill({ status: 400, json: { code: 'invalid_pet', message: 'name is taken.', status: 400 } }),
    );
    await name.fill('Max');
    await page.keyboard.press('Enter');
    const note = noteOf(page, 'Rex (1) was not changed. name is taken.');
    await note.waitFor();
    expect(await findBarriers()).toEqual([]);
    await note.getByRole('button', { name: 'Edit' }).click();
    await page.locator('#edit-name:focus').waitFor();
    expect(await name.inputValue()).toBe('Max');
  });

  it('places the cursor at the end of the name, and saves the name without spaces around it', async () => {
    const { page, service } = await tills.open(openShop(' Rex ', 'Mia', 'Two\nlines'));
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('e');
    await page.locator('#edit-name:focus').waitFor();
    await page.keyboard.type(' the First  \n');
    await noteOf(page, 'Saved Mia the First (2).').waitFor();
    expect((await service.client.getPet(2n)).name).toBe('Mia the First');
    // Spaces that came from elsewhere stay until somebody types.
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('e');
    await page.locator('#edit-categoryId').fill('8');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved').filter({ hasText: '(1)' }).waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: ' Rex ', categoryId: 8n });
    // So do line breaks, which the field cannot show.
    await (await openDetails(page, 'Two')).getByLabel('Category', { exact: true }).fill('8');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved').filter({ hasText: '(3)' }).waitFor();
    expect(await service.client.getPet(3n)).toMatchObject({ name: 'Two\nlines', categoryId: 8n });
  });

  it('keeps what was typed when the pet no longer fits the filter', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.waitForResponse('**/v1/pets/search?*status=available*');
    await settled(page);
    const { name } = await edit(page, 'Rex');
    await name.fill('Max');
    await service.client.updatePet(1n, { status: 'sold' });
    await page.locator('.row.is-out').filter({ hasText: 'Rex' }).waitFor();
    expect(await name.inputValue()).toBe('Max');
    await name.press('Enter');
    await noteOf(page, 'Somebody else has sold Rex (1) in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Save it anyway' }).click();
    await noteOf(page, 'Saved Max (1).').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Max', status: 'sold' });
  });
});
