import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { openConsole, signIn } from '../../../test/support/browser/console.ts';
import { visit } from '../../../test/support/browser/visit.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';

const chromium = browserOfFile();
const pets = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'Zoë', categoryId: -5n, status: 'sold' },
  { name: 'Rexona', categoryId: 9223372036854775807n },
  { name: 'Mia', categoryId: 1n, status: 'sold' },
] as const;

describe('the search', () => {
  it('finds pets by name, and offers an id and a category for a number', async () => {
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    const box = page.getByRole('searchbox', { name: 'Search' });
    const names = () => page.locator('.name-text').allTextContents();
    const find = async (text: string, end: string) => {
      await box.fill(text);
      await page.getByText(end, { exact: true }).waitFor();
      return names();
    };
    await page.getByText('All 4 pets').waitFor();
    expect(await find('rex', 'All 2 pets')).toEqual(['Rexona', 'Rex']);
    expect(await find('ZOE', '1 pet')).toEqual(['Zoë']);
    await box.fill('1');
    await page.getByRole('heading', { name: 'No pets match “1”' }).waitFor();
    expect(await page.locator('.meant').getByRole('button').allInnerTexts()).toEqual(['Id 1', 'Category 1']);
    await page.getByRole('button', { name: 'Category 1' }).click();
    await page.getByText('Mia').waitFor();
    expect(await names()).toEqual(['Mia']);
    await box.fill('1');
    await page.getByRole('button', { name: 'Id 1' }).click();
    await page.getByText('Rex', { exact: true }).waitFor();
    expect(await box.inputValue()).toBe('#1');
    expect(await names()).toEqual(['Rex']);
    // Typed, it is an id as well, and leaves nothing to choose.
    await box.fill('#4');
    await page.getByText('Mia').waitFor();
    expect([await names(), await page.locator('.meant').count()]).toEqual([['Mia'], 0]);
    await box.fill('nobody');
    await page.getByRole('heading', { name: 'No pets match “nobody”' }).waitFor();
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await page.getByText('All 4 pets').waitFor();
    expect(complaints).toEqual([]);
  });

  it('lives in the address with the filter, so that a reload or a link shows the same', async () => {
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('searchbox').fill('e');
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.waitForURL('**/?q=e&status=available');
    await page.reload();
    await page.getByText('1 pet', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('e');
    expect(await page.evaluate<number>('history.length')).toBeLessThan(4);
    expect(page.url()).not.toContain(service.apiKey);

    await using other = await visit(chromium.browser, page.url());
    await signIn(other.page, service.apiKey);
    await other.page.getByText('1 pet', { exact: true }).waitFor();
    expect(await other.page.locator('.name-text').allTextContents()).toEqual(['Rex']);
    expect(other.complaints).toEqual([]);
  });
});
