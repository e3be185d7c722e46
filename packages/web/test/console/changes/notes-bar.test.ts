import { describe, expect, it } from 'bun:test';
import { phone } from '../../../../../test/support/browser/console.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import {
  calmDown,
  drawn,
  erased,
  noteOf,
  openDetails,
  openShop,
  openShopOf,
  rowOf,
  statusOf,
  stopClock,
} from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('the notes', () => {
  it('show the newest first and fold the rest, and a problem comes up from its row', async () => {
    const { page, findBarriers } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Rex').waitFor();
    await page.route('**/v1/pets/1', (route) => route.abort());
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, 'Rex (1) may not have been sold.').waitFor();
    expect(await statusOf(page, 'Rex')).toBe('Available');
    for (const name of ['Mia', 'Balu']) {
      await page.getByRole('button', { name: `Sell ${name}` }).click();
      await noteOf(page, `${name} (`).filter({ hasText: 'is sold.' }).waitFor();
    }
    const seen = () => page.locator('.note p').filter({ visible: true }).allInnerTexts();
    expect(await seen()).toEqual(['Balu (3) is sold.']);
    await page.getByRole('button', { name: '2 more' }).click();
    await page.getByRole('button', { name: 'Fewer' }).waitFor();
    const tops = await Promise.all(
      ['Balu', 'Mia', 'Rex'].map(async (name) => (await noteOf(page, `${name} (`).boundingBox())!.y),
    );
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Fewer' }).click();
    await page.getByRole('button', { name: 'Not saved Rex' }).click();
    await page.locator('.note[data-pet="1"] button:focus').waitFor();
    expect(await seen()).toEqual([expect.stringMatching(/^Rex \(1\) may not have been sold\./)]);
    await page.unroute('**/v1/pets/1');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Rex (1) is sold.').waitFor();
    expect(await statusOf(page, 'Rex')).toBe('Sold');
  });

  it('stay while somebody points at one or has the focus in it', async () => {
    const { page } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').focus();
    await stopClock(page);
    await page.keyboard.press('s');
    const note = noteOf(page, 'Rex (1) is sold.');
    await drawn(page, note);
    await note.hover();
    await page.clock.fastForward(60_000);
    expect(await note.count()).toBe(1);
    await note.getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(10, 10);
    await page.clock.fastForward(60_000);
    expect(await note.count()).toBe(1);
    await rowOf(page, 'Mia').focus();
    await page.clock.fastForward(10_500);
    await erased(page, note);
  });

  it('move no row of the sales', async () => {
    const names = ['Rex', 'Mia'];
    const { page, service } = await tills.open(openShop(...names));
    for (const id of [1n, 2n]) await service.client.updatePet(id, { status: 'sold' });
    await page.getByRole('link', { name: 'Sales' }).click();
    const topOf = async () => (await page.locator('.sale[data-pet="1"]').first().boundingBox())!.y;
    await page.locator('.sale[data-pet="1"]').waitFor();
    const before = await topOf();
    for (const name of names) {
      const details = await openDetails(page, name);
      await details.getByRole('button', { name: 'Return' }).click();
      await noteOf(page, `${name} (`).filter({ hasText: 'about to be returned' }).waitFor();
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'detached' });
      expect(await topOf()).toBe(before);
      await calmDown(page);
    }
  });

  it('hide neither the focus nor the tabs on a narrow screen', async () => {
    const { page } = await tills.open(openShopOf(60));
    const sizes = [phone.viewport!, { width: 820, height: 1180 }, { width: 640, height: 400 }];
    for (const [index, viewport] of sizes.entries()) {
      await page.setViewportSize(viewport);
      const id = 41 - 3 * index;
      const row = page.locator(`.row[data-id="${id}"]`);
      await row.focus();
      // At the very edge of the screen.
      await row.evaluate((one) => one.scrollIntoView({ block: 'end' }));
      await page.keyboard.press('p');
      await page.keyboard.press('p');
      await noteOf(page, `Pet ${id - 1} (${id}) is pending`)
        .first()
        .waitFor();
      const note = (await page.locator('.note').filter({ visible: true }).boundingBox())!;
      const boxOf = async (part: string) => (await page.locator(part).first().boundingBox())!;
      const isApart = ({ y, height }: { y: number; height: number }) =>
        y + height <= note.y || note.y + note.height <= y;
      expect(isApart(await boxOf('.row:focus'))).toBe(true);
      await page.evaluate('scrollTo(0, 0)');
      for (const part of ['.views', '.tools', '.search', '.filter', '.form-toggle'])
        expect([part, isApart(await boxOf(part))]).toEqual([part, true]);
    }
  });

  it('say that the device is offline, and no longer once it is back', async () => {
    const { page, findBarriers } = await tills.open(openShop('Rex'));
    await rowOf(page, 'Rex').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, 'Rex (1) may not have been sold. You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline. These').waitFor({ state: 'detached' });
    await noteOf(page, 'Rex (1) is sold.').waitFor();
  });
});
