import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { openConsole, rows, signIn } from '../../../test/support/browser/console.ts';
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
  it('finds pets by name, category number and id', async () => {
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await rows(page).first().waitFor();
    const find = async (text: string) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill(text);
      return page.locator('.name-text').allTextContents();
    };
    expect(await find('rex')).toEqual(['Rexona', 'Rex']);
    expect(await find('ZOE')).toEqual(['Zoë']);
    expect(await find('-5')).toEqual(['Zoë']);
    expect(await find('9223372036854775807')).toEqual(['Rexona']);
    expect(await find('4')).toEqual(['Mia']);
    expect(await find('rex 7')).toEqual(['Rex']);
    expect(await find('nobody')).toEqual([]);
    await page.getByRole('heading', { name: 'No pets match “nobody”' }).waitFor();
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await page.getByText('All 4 pets').waitFor();
    expect(complaints).toEqual([]);
  });

  it('lives in the address with the filter and the order, so that a reload or a link shows the same', async () => {
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('searchbox').fill('rex');
    await page.getByLabel('Order').selectOption('Oldest first');
    await page.waitForURL('**/?q=rex&order=oldest');
    expect(await page.locator('.name-text').allTextContents()).toEqual(['Rex', 'Rexona']);
    await page.getByRole('radio', { name: 'No status' }).check();
    await page.waitForURL('**/?q=rex&status=none&order=oldest');
    await page.reload();
    await page.getByText('1 of 4 pets').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('rex');
    expect(await page.evaluate<number>('history.length')).toBeLessThan(4);
    expect(page.url()).not.toContain(service.apiKey);

    await using other = await visit(chromium.browser, page.url());
    await signIn(other.page, service.apiKey);
    await other.page.getByText('1 of 4 pets').waitFor();
    expect(await other.page.locator('.name-text').allTextContents()).toEqual(['Rexona']);
    expect(other.complaints).toEqual([]);
  });
});
