import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { signIn } from '../../../../../test/support/browser/console.ts';
import { focusedRow, noteOf, openShop, soldIn } from '../../../../../test/support/browser/shop.ts';
import { visit } from '../../../../../test/support/browser/visit.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { hold, settled } from '../helpers.ts';

const tills = useTills();
const searches = '**/v1/pets/search?*';
const pets = [
  { name: 'Rex', categoryId: 7n, status: 'available' },
  { name: 'Zoë', categoryId: -5n, status: 'sold' },
  { name: 'Rexona', categoryId: 9223372036854775807n },
  { name: 'Mia', categoryId: 1n, status: 'sold' },
] as const;

const namesOf = (page: Page) => page.locator('.name-text').allTextContents();
const isInert = (page: Page) => page.locator('.grid').evaluate((grid) => grid.hasAttribute('inert'));

describe('the search', () => {
  it('finds pets by name, category and id, with or without a status, and counts them', async () => {
    const { page, complaints, findBarriers } = await tills.open(openServiceOnFile(pets));
    const box = page.getByRole('searchbox', { name: 'Search' });
    const find = async (text: string, end: string) => {
      await box.fill(text);
      await page.getByText(end, { exact: true }).waitFor();
      return namesOf(page);
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
    await page.locator('.row[data-id="1"]').focus();
    await page.clock.install();
    await page.keyboard.press('Delete');
    await page.locator('.row.is-struck').waitFor();
    await page.clock.fastForward(10_000);
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
      expect(await namesOf(page)).toEqual(['Rex 1080', '1080']);
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
    expect(await namesOf(page)).toEqual(['Mia']);
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
    expect(await namesOf(other.page)).toEqual(['Rex']);
    expect(other.complaints).toEqual([]);
  });
});

describe('a search on a slow network', () => {
  it('makes Enter wait for its own results, and sells none of the old ones by key, mouse or touch', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(
      openShop('Curious Rex', 'Mia', 'Balu'),
      { hasTouch: true },
    );
    const old = (await page.getByRole('button', { name: 'Sell Balu' }).boundingBox())!;
    const release = await hold(page, searches);
    await page.getByRole('searchbox').pressSequentially('curious rex');
    expect(await isInert(page)).toBe(true);
    await page.getByText('Searching…').waitFor();
    await page.keyboard.press('Enter');
    for (const act of [
      () => page.keyboard.press('s'),
      () => page.mouse.click(old.x + 5, old.y + 5),
      () => page.touchscreen.tap(old.x + 5, old.y + 5),
    ]) {
      await page.locator('.note').evaluateAll((notes) => notes.forEach((note) => note.remove()));
      await act();
      await noteOf(page, 'Still searching. Nothing was done; try again.').waitFor();
    }
    expect(await page.getByRole('searchbox').inputValue()).toBe('curious rex');
    expect(await findBarriers()).toEqual([]);
    release();
    await page.locator('.row:focus').waitFor();
    expect([await namesOf(page), await focusedRow(page)]).toEqual([['Curious Rex'], 'Curious Rex']);
    expect([await isInert(page), await soldIn(service)]).toEqual([false, []]);
    await settled(page);
    await page.keyboard.press('s');
    await noteOf(page, 'Curious Rex (1) is sold.').waitFor();
    expect(await soldIn(service)).toEqual([1n]);
    expect(complaints).toEqual([]);
  });

  it('ignores a click and a key right after the rows have changed, and says so', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const first = (await page.getByRole('button', { name: 'Sell Balu' }).boundingBox())!;
    // The time in which new rows take nothing stands still, however slow the machine is.
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
    await page.getByRole('searchbox').fill('rex');
    await page.keyboard.press('Enter');
    await page.locator('.row:focus').waitFor();
    const said = noteOf(page, 'The list has just changed. Nothing was done; try again.');
    await page.keyboard.press('s');
    await said.waitFor();
    await said.evaluateAll((notes) => notes.forEach((note) => note.remove()));
    await page.mouse.click(first.x + 5, first.y + 5);
    await said.waitFor();
    expect(await soldIn(service)).toEqual([]);
    await session.send('Animation.setPlaybackRate', { playbackRate: 1 });
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, 'Rex (1) is sold.').waitFor();
  });
});
