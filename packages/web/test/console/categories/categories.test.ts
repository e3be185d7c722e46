import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { add, describedBy } from '../../../../../test/support/browser/console.ts';
import { deafen, noteOf, openDetails, rowOf } from '../../../../../test/support/browser/shop.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import type { ListeningService } from '../../../../../test/support/http/listening.ts';
import { hold, settled, valuesOf } from '../helpers.ts';
import { namesOf, openCategories, openNamed, rename } from './helpers.ts';

const tills = useTills();
const field = (page: Page) => page.locator('#pet-categoryId');
const categoriesOf = async ({ client }: ListeningService) =>
  (await Array.fromAsync(client.pets())).map(({ categoryId }) => categoryId);

describe('a category', () => {
  it('has its name in the list, in the details, on the label and in messages, or its number', async () => {
    const { page, service } = await tills.open(openNamed());
    await rowOf(page, 'Rex').waitFor();
    expect(await page.locator('.row .category bdi').allInnerTexts()).toEqual(['4', 'Dogs', 'Dogs']);
    await openDetails(page, 'Bubbles');
    expect(await page.locator('.facts').innerText()).toMatch(/Category 4\s+Id 3$/);
    await page.keyboard.press('Escape');
    const details = await openDetails(page, 'Rex');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.facts').innerText()).toMatch(/^Dogs\s+Id 1$/);
    await page.emulateMedia({ media: 'screen' });
    await deafen(page);
    await service.client.updatePet(1n, { categoryId: 8n });
    await details.getByRole('button', { name: 'Pending' }).click();
    await noteOf(page, 'Somebody else has moved Rex (1) to \u2068Cats\u2069 in the meantime.').waitFor();
  });

  it('keeps its name while the service is away', async () => {
    const { page, service } = await tills.open(openNamed());
    await rowOf(page, 'Rex').getByText('Dogs').waitFor();
    await service.goAway();
    await page.getByText('The service cannot be reached. These are the pets as of').waitFor();
    await rowOf(page, 'Rex').getByText('Dogs').waitFor();
    await field(page).fill('7');
    await field(page).blur();
    expect(await field(page).inputValue()).toBe('Dogs');
    await openCategories(page);
    expect(await page.locator('.category-name').allInnerTexts()).toEqual(['Dogs', 'Cats']);
    await page.getByRole('button', { name: 'Rename Dogs' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    service.comeBack();
    await rename(page, 'Dogs', 'Dogs!');
    await page.locator('.category-name').getByText('Dogs!').waitFor();
    // Of two renames at once the second is told, and so is one of a name that is gone.
    await deafen(page);
    const told = page
      .getByRole('alert')
      .getByText('Somebody else has renamed or removed it in the meantime. Your text: “\u2068Cats!\u2069”.');
    const renameDuring = async (work: () => Promise<unknown>) => {
      await page.getByRole('button', { name: 'Rename Cats' }).click();
      await page.locator('#question-field').fill('Cats!');
      await work();
      await page.keyboard.press('Enter');
      await told.waitFor();
    };
    await renameDuring(() => service.client.putCategory(8n, 'Felines'));
    expect(await namesOf(service)).toEqual([
      [7n, 'Dogs!'],
      [8n, 'Felines'],
    ]);
    await renameDuring(() => service.client.deleteCategory(8n));
    expect(await namesOf(service)).toEqual([[7n, 'Dogs!']]);
  });
});

describe('the field for a category', () => {
  it('takes a name or a number, and shows the name of a number that is typed', async () => {
    const { page, service } = await tills.open(openNamed());
    await rowOf(page, 'Rex').getByText('Dogs').waitFor();
    expect(await page.locator('#pet-categoryId-names option').evaluateAll(valuesOf)).toEqual([
      'Dogs',
      'Cats',
    ]);
    await add(page, 'Luna', ' cäts ');
    await page.getByText('Luna was added with id 4.').waitFor();
    await page.locator('#pet-name').fill('Max');
    await field(page).focus();
    // The number in the making is not replaced.
    for (const [key, text] of [
      ['7', '7'],
      ['1', '71'],
      ['Backspace', '7'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await field(page).inputValue()).toBe(text);
    }
    await page.keyboard.press('Tab');
    expect(await field(page).inputValue()).toBe('Dogs');
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Max was added with id 5.').waitFor();
    await add(page, 'Bo', '99');
    await page.getByText('Bo was added with id 6.').waitFor();
    expect(await categoriesOf(service)).toEqual([7n, 7n, 4n, 8n, 7n, 99n]);
    await add(page, 'Bo', ' ');
    expect(await describedBy(page, 'Category')).toBe('Enter a name or a number.');
  });

  it('makes a category of a name that no number has, and says what is wrong until then', async () => {
    const { page, service, findBarriers, complaints } = await tills.open(openNamed());
    await rowOf(page, 'Rex').getByText('Dogs').waitFor();
    const button = page.getByRole('button', { name: 'New category: Hamsters' });
    await add(page, 'Pip', 'Hamsters');
    expect(await describedBy(page, 'Category')).toBe('No category has this name yet.');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-categoryId');
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await button.waitFor({ state: 'detached' });
    await page.locator('#pet-categoryId:focus').waitFor();
    expect(await field(page).inputValue()).toBe('Hamsters');
    await page.keyboard.press('Enter');
    await page.getByText('Pip was added with id 4.').waitFor();
    expect(await namesOf(service)).toEqual([
      [7n, 'Dogs'],
      [8n, 'Cats'],
      [9n, 'Hamsters'],
    ]);
    expect(await categoriesOf(service)).toEqual([7n, 7n, 4n, 9n]);
    // No letter typed meanwhile is lost.
    const release = await hold(page, '**/v1/categories/*');
    await field(page).fill('Fish');
    await page.getByRole('button', { name: 'New category: Fish' }).click();
    await page.locator('#pet-name').pressSequentially('Bo');
    release();
    await page.getByRole('button', { name: 'New category: Fish' }).waitFor({ state: 'detached' });
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pet-name');
    await page.keyboard.press('Enter');
    await page.getByText('Bo was added with id 5.').waitFor();
    expect((await service.client.getPet(5n)).categoryId).toBe(10n);
    expect(complaints).toEqual([]);
  });

  it('corrects a pet, and leaves a category alone that was only renamed', async () => {
    const { page, service } = await tills.open(openNamed());
    const edit = async () => {
      await rowOf(page, 'Rexy').focus();
      await page.keyboard.press('e');
    };
    // A second number with the same name: the pet stays in its own.
    await service.client.putCategory(4n, 'Dogs');
    await rowOf(page, 'Bubbles').getByText('Dogs').waitFor();
    const details = await openDetails(page, 'Rex');
    const category = details.getByLabel('Category');
    expect(await category.inputValue()).toBe('Dogs (7)');
    await details.getByLabel('Name').fill('Rexy');
    await service.client.putCategory(7n, 'Hounds');
    await rowOf(page, 'Mia').getByText('Hounds').waitFor();
    expect(await category.inputValue()).toBe('Hounds');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Saved Rexy (1).').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Rexy', categoryId: 7n });
    await edit();
    await category.fill('cats');
    await page.keyboard.press('Enter');
    await rowOf(page, 'Rexy').getByText('Cats').waitFor();
    expect((await service.client.getPet(1n)).categoryId).toBe(8n);
    await edit();
    await category.fill('Snakes');
    await page.getByRole('button', { name: 'New category: Snakes' }).click();
    await page.locator('#edit-categoryId:focus').waitFor();
    await page.keyboard.press('Enter');
    await rowOf(page, 'Rexy').getByText('Snakes').waitFor();
    expect((await service.client.getPet(1n)).categoryId).toBe(9n);
  });
});

describe('a search', () => {
  it('finds categories by their names, and shows the pets in one', async () => {
    const { page, findBarriers, complaints } = await tills.open(openNamed());
    await rowOf(page, 'Rex').waitFor();
    const search = page.getByLabel('Search');
    await search.fill('DÓG');
    await page.getByRole('heading', { name: 'No pets matching “DÓG”' }).waitFor();
    expect(await page.locator('.found button').allInnerTexts()).toEqual(['Pets in Dogs']);
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Pets in Dogs' }).click();
    await page.getByText('2 pets in \u2068Dogs\u2069').waitFor();
    expect(await search.inputValue()).toBe('');
    expect(await page.locator('.row .name').allInnerTexts()).toEqual(['Mia', 'Rex']);
    // Above the pets that it finds.
    await search.fill('s');
    await page.getByRole('button', { name: 'Pets in Cats' }).waitFor();
    expect(await page.locator('.found button').allInnerTexts()).toEqual(['Pets in Cats']);
    expect(complaints).toEqual([]);
  });

  it('is narrowed to a category beside the status, in the address, too', async () => {
    const { page, service } = await tills.open(openNamed());
    await page.getByText('3 pets', { exact: true }).waitFor();
    await page.getByLabel('Filter by category').selectOption('Dogs');
    await page.getByText('2 pets in \u2068Dogs\u2069').waitFor();
    await page.waitForURL('**/?category=7');
    await page.reload();
    await page.getByText('2 pets in \u2068Dogs\u2069').waitFor();
    expect(await page.getByLabel('Filter by category').inputValue()).toBe('7');
    await settled(page);
    // Others change pets: what leaves the category is greyed, what comes is news.
    await service.client.updatePet(3n, { categoryId: 7n });
    await page.getByText('1 new pet').waitFor();
    await service.client.updatePet(1n, { categoryId: 8n });
    await page.locator('.row.is-out').getByText('Rex').waitFor();
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'No sold pets in \u2068Dogs\u2069' }).waitFor();
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await page.getByText('3 pets', { exact: true }).waitFor();
    // A scanned label is found whatever the filter, and a number means an id within a category.
    await page.getByLabel('Filter by category').selectOption('Cats');
    await page.getByLabel('Search').fill('3');
    await page.locator('.row[data-id="1"]').waitFor({ state: 'detached' });
    expect(await page.locator('.row.is-out .name').allInnerTexts()).toEqual(['Bubbles']);
    // A new pet of another category has no place in the list.
    await page.getByLabel('Search').fill('');
    await rowOf(page, 'Rex').waitFor();
    await settled(page);
    await add(page, 'Luna', 'dogs');
    await page.getByText('Luna was added with id 4.').waitFor();
    expect(await page.locator('.row .name').allInnerTexts()).toEqual(['Rex']);
    // A number without a name can be shared in an address as well.
    await page.goto(`${service.url}/?category=4`);
    await page.getByRole('heading', { name: 'No pets in category 4' }).waitFor();
    expect(await page.locator('.category-filter option:checked').innerText()).toBe('Category 4');
  });
});
