import { describe, expect, it } from 'bun:test';
import { createKey, looks, overflowing, signIn } from '../../../../../test/support/browser/console.ts';
import { noteOf, openDetails, openShop, rowOf } from '../../../../../test/support/browser/shop.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { namesOf, openCategories, openNamed, rename } from './helpers.ts';

const tills = useTills();

describe('the view of the categories', () => {
  it('names, renames and removes, shows the pets, and passes axe on each screen in each colour', async () => {
    const { page, service, findBarriers, complaints } = await tills.open(openNamed());
    const check = async () => {
      for (const { viewport, colorScheme } of Object.values(looks)) {
        await page.setViewportSize(viewport!);
        await page.emulateMedia({ colorScheme: colorScheme! });
        expect(await findBarriers()).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
      }
    };
    await service.client.putCategory(12n, 'X'.repeat(100));
    await rowOf(page, 'Rex').waitFor();
    await check();
    await openCategories(page);
    const name = page.getByLabel('New category', { exact: true });
    const number = page.getByLabel('Number', { exact: true });
    const submit = page.getByRole('button', { name: 'Add', exact: true });
    const refuses = async (typed: [string, string], message: string) => {
      await name.fill(typed[0]);
      await number.fill(typed[1]);
      await submit.click();
      await page.getByText(message).waitFor();
    };
    await refuses([' ', ''], 'Enter a name.');
    await refuses(['DOGS', ''], 'Category 7 has this name already.');
    await refuses(['Fish', 'x'], 'Enter a whole number, such as 7.');
    await refuses(['Fish', '9223372036854775808'], 'Number must be an integer from');
    await refuses(['Fish', '8'], 'Category 8 has a name already.');
    await check();
    await number.fill('0');
    await submit.click();
    await page.getByRole('button', { name: 'Rename Fish' }).waitFor();
    await page.locator('#category-name:focus').waitFor();
    await name.fill('Birds');
    await page.keyboard.press('Enter');
    // A name is a deed like any other: nothing before it is undone instead.
    await page.getByRole('button', { name: 'Rename Birds' }).waitFor();
    await name.blur();
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: category 13 has no name again.').waitFor();
    expect((await namesOf(service)).map(([id]) => id)).toEqual([0n, 7n, 8n, 12n]);
    await name.fill('Birds');
    await page.keyboard.press('Enter');
    expect(await rename(page, 'Birds')).toBe('Name of category 13: Birds');
    await rename(page, 'Birds', ' ');
    await rename(page, 'Birds', 'Parrots');
    await page.getByRole('button', { name: 'Rename Parrots' }).waitFor();
    // Another name is not given twice by mistake.
    await page.getByRole('button', { name: 'Rename Parrots' }).click();
    await page.locator('#question-field').fill('cats');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Category 8 is “Cats” already.' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    const remove = page.getByRole('button', { name: 'Remove the name Parrots' });
    const agree = page.locator('dialog').getByRole('button', { name: 'Remove' });
    await remove.click();
    await page.getByRole('heading', { name: 'Remove the name \u2068Parrots\u2069?' }).waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.locator('.category-row .danger:focus').waitFor();
    await remove.click();
    await agree.click();
    await remove.waitFor({ state: 'detached' });
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: category 13 is “Parrots” again.').waitFor();
    expect(await page.locator('.category-row .number').allInnerTexts()).toEqual(['0', '7', '8', '12', '13']);
    await remove.click();
    await agree.click();
    await remove.waitFor({ state: 'detached' });
    expect((await namesOf(service)).map(([id]) => id)).toEqual([0n, 7n, 8n, 12n]);
    await page.getByRole('button', { name: 'Show pets in Dogs' }).click();
    await page.getByText('2 pets in \u2068Dogs\u2069').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says what a category is in a store without names, which has no filter by category', async () => {
    const { page, findBarriers } = await tills.open(openShop('Rex'));
    await rowOf(page, 'Rex').waitFor();
    expect(await page.locator('.category-filter').count()).toBe(0);
    await openCategories(page);
    await page.getByRole('heading', { name: 'No names yet' }).waitFor();
    expect(await findBarriers()).toEqual([]);
  });
});

describe('a key', () => {
  it('that may not delete hides Remove and says why a key does nothing', async () => {
    await using service = await openNamed();
    const { text } = await createKey(service, 'till-1', { mayDelete: false });
    await using visited = await visit(tills.browser, service.url);
    const { page } = visited;
    await signIn(page, text);
    const details = await openDetails(page, 'Rex');
    await details.getByRole('button', { name: 'Sell' }).waitFor();
    const remove = page.getByRole('button', { name: /^Remove/ });
    expect(await remove.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Delete');
    await noteOf(page, 'This key may not delete. Nothing was done.').waitFor();
    await openCategories(page);
    await page.getByRole('button', { name: 'Rename Dogs' }).waitFor();
    expect(await remove.count()).toBe(0);
  });
});
