import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { rows } from '../../../../../test/support/browser/console.ts';
import { rowOf } from '../../../../../test/support/browser/shop.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { settled } from '../helpers.ts';

const tills = useTills();
const pets = Array.from({ length: 300 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));

const focusedRow = (page: Page) => page.evaluate<string | undefined>('document.activeElement.dataset.id');

describe('the keyboard', () => {
  it('moves between rows and keeps the focus when the row is scrolled away', async () => {
    const { page, complaints, findBarriers } = await tills.open(openServiceOnFile(pets));
    await page.getByText('Pet 300').waitFor();
    // Right after sign-in.
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toBe('300');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await focusedRow(page)).toBe('299');
    // While there are few rows: axe lays out each one that is out of sight.
    expect(await findBarriers()).toEqual([]);
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 6000);
    await rows(page).getByText('Pet 150', { exact: true }).waitFor();
    expect(await focusedRow(page)).toBe('299');
    await page.keyboard.press('End');
    expect(await focusedRow(page)).toBe('299');
    while ((await focusedRow(page)) !== '1') await page.keyboard.press('PageDown');
    expect(await page.locator('.row:focus').isVisible()).toBe(true);
    await page.keyboard.press('PageUp');
    expect(Number(await focusedRow(page))).toBeGreaterThan(5);
    await page.keyboard.press('Home');
    expect(await focusedRow(page)).toBe('300');
    const [row, band] = [
      await page.locator('.row:focus').boundingBox(),
      await page.locator('.find').boundingBox(),
    ];
    expect(row!.y).toBeGreaterThanOrEqual(band!.y + band!.height - 1);
    expect(complaints).toEqual([]);
  });

  it('has shortcuts for the search, for clearing it from a row, for a new pet and for the help, except in text fields', async () => {
    const { page, complaints, findBarriers } = await tills.open(openServiceOnFile(pets.slice(0, 3)));
    await page.getByText('3 pets', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Pet 2');
    await page.getByText('1 pet matching “Pet 2”').waitFor();
    await page.keyboard.press('ArrowDown');
    const focused = await focusedRow(page);
    await page.keyboard.press('Escape');
    await page.getByText('3 pets', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(await focusedRow(page)).toBe(focused);
    await page.keyboard.press('/');
    await page.keyboard.type('n/?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('n/?');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.locator('#pet-name:focus').waitFor();
    expect(await page.locator('#pet-name').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Add a new pet').waitFor();
    expect(await findBarriers()).toEqual([]);
    // No shortcut acts behind the help.
    await page.keyboard.press('n');
    await help.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    expect(await page.locator('#pet-name:focus').count()).toBe(0);
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await help.getByRole('checkbox').check();
    await help.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('/');
    await page.locator('input[type=search]:focus').waitFor();
    // Esc leaves every field.
    const tagName = () => page.evaluate<string>('document.activeElement.tagName');
    for (const id of ['pet-name', 'pet-categoryId', 'pet-status']) {
      await page.locator(`#${id}`).focus();
      await page.keyboard.press('Escape');
      expect([id, await tagName()]).toEqual([id, 'BODY']);
    }
    await page.getByRole('searchbox').fill('pet 1');
    await page.keyboard.press('Escape');
    expect([await tagName(), await page.getByRole('searchbox').inputValue()]).toEqual(['INPUT', '']);
    await page.keyboard.press('Escape');
    expect(await tagName()).toBe('BODY');
    await settled(page);
    await rowOf(page, 'Pet 1').focus();
    await page.keyboard.press('Enter');
    await page.locator('#edit-name:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.row:focus').waitFor();
    // What was typed into the form to add a pet is still there.
    await page.locator('#pet-name').fill('Half a na');
    await page.keyboard.press('Escape');
    expect(await page.locator('#pet-name').inputValue()).toBe('Half a na');
    expect(complaints).toEqual([]);
  });
});
