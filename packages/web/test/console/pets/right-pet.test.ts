import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { focusedRow, noteOf, openShop, soldIn } from '../../../../../test/support/browser/shop.ts';
import { hold, settled } from '../helpers.ts';

const tills = useTills();
const searches = '**/v1/pets/search?*';

const namesOf = (page: Page) => page.locator('.name-text').allTextContents();
const isInert = (page: Page) => page.locator('.grid').evaluate((grid) => grid.hasAttribute('inert'));

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
