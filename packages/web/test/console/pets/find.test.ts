import { describe, expect, it } from 'bun:test';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { signIn } from '../../../../../test/support/browser/console.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';

const tills = useTills();
const pets = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'Zoë', categoryId: -5n, status: 'sold' },
  { name: 'Rexona', categoryId: 9223372036854775807n },
  { name: 'Mia', categoryId: 1n, status: 'sold' },
] as const;

describe('the search', () => {
  it('finds pets by name, category and id, with or without a status, and counts them', async () => {
    const { page, complaints, findBarriers } = await tills.open(openServiceOnFile(pets));
    const box = page.getByRole('searchbox', { name: 'Search' });
    const find = async (text: string, end: string) => {
      await box.fill(text);
      await page.getByText(end, { exact: true }).waitFor();
      return page.locator('.name-text').allTextContents();
    };
    await page.getByText('4 pets', { exact: true }).waitFor();
    expect(await find('rex', '2 pets matching “rex”')).toEqual(['Rexona', 'Rex']);
    expect(await find('ZOE', '1 pet matching “ZOE”')).toEqual(['Zoë']);
    expect(await find('#4', '1 pet matching “#4”')).toEqual(['Mia']);
    expect(await find('category:1', '1 pet matching “category:1”')).toEqual(['Mia']);
    await page.getByRole('radio', { name: 'Sold' }).check();
    expect(await find('', '2 sold pets')).toEqual(['Mia', 'Zoë']);
    await page.getByRole('radio', { name: 'No status' }).check();
    expect(await find('', '1 pet without a status')).toEqual(['Rexona']);
    await box.fill('nobody');
    await page.getByRole('heading', { name: 'No pets without a status matching “nobody”' }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await page.getByText('4 pets', { exact: true }).waitFor();
    // A removed pet keeps its row and does not count.
    page.on('dialog', (dialog) => dialog.accept());
    await page.locator('.row[data-id="1"]').focus();
    await page.keyboard.press('Delete');
    await page.getByText('3 pets', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('finds a pet whose name is a number with quotes, and says so', async () => {
    const named = [...pets, { name: '1080', categoryId: 1n }, { name: 'Rex 1080', categoryId: 1n }];
    const { page, findBarriers } = await tills.open(openServiceOnFile(named));
    const box = page.getByRole('searchbox', { name: 'Search' });
    await box.fill('1080');
    await page.getByText('To find a pet whose name is a number, use quotes: "1080"').waitFor();
    for (const text of ['"1080"', ' “1080” ', '„1080“']) {
      await box.fill(text);
      await page.getByText(`2 pets matching “${text.trim()}”`, { exact: true }).waitFor();
      expect(await page.locator('.name-text').allTextContents()).toEqual(['Rex 1080', '1080']);
    }
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByRole('dialog').getByText('Pets with 7 in their name').waitFor();
    expect(await findBarriers()).toEqual([]);
  });

  it('finds the one pet without a status among hundreds', async () => {
    const many = Array.from({ length: 350 }, () => ({
      name: 'Rex',
      categoryId: 1n,
      status: 'sold' as const,
    }));
    const { page } = await tills.open(openServiceOnFile([{ name: 'Mia', categoryId: 1n }, ...many]));
    await page.getByRole('radio', { name: 'No status' }).check();
    await page.getByText('1 pet without a status').waitFor();
    expect(await page.locator('.name-text').allTextContents()).toEqual(['Mia']);
  });

  it('lives in the address with the filter, so that a reload or a link shows the same', async () => {
    const { page, service } = await tills.open(openServiceOnFile(pets));
    await page.getByRole('searchbox').fill('e');
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.waitForURL('**/?q=e&status=available');
    await page.reload();
    await page.getByText('1 available pet matching “e”').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('e');
    expect(await page.evaluate<number>('history.length')).toBeLessThan(4);
    expect(page.url()).not.toContain(service.apiKey);

    await using other = await visit(tills.browser, page.url());
    await signIn(other.page, service.apiKey);
    await other.page.getByText('1 available pet matching “e”').waitFor();
    expect(await other.page.locator('.name-text').allTextContents()).toEqual(['Rex']);
    expect(other.complaints).toEqual([]);
  });
});
