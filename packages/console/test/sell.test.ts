import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { desktop, openConsole, overflowing, phone } from '../../../test/support/browser/console.ts';
import {
  focusedRow,
  noteOf,
  openMenu,
  openShop,
  rowOf,
  statusOf,
  tillOf,
} from '../../../test/support/browser/shop.ts';

const chromium = browserOfFile();

describe('selling', () => {
  it('takes one click, says so and can be undone', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, 'Rex is sold.').waitFor();
    expect(await statusOf(page, 'Rex')).toBe('Sold');
    expect((await service.client.getPet(1n)).status).toBe('sold');
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await noteOf(page, 'Rex is available.').waitFor();
    expect((await service.client.getPet(1n)).status).toBe('available');
    expect(await statusOf(page, 'Mia')).toBe('Available');
    expect(complaints).toEqual([]);
  });

  it('takes one key on the row that has the focus', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await rowOf(page, 'Mia').focus();
    for (const [key, status] of [
      ['s', 'sold'],
      ['p', 'pending'],
      ['a', 'available'],
    ] as const) {
      await page.keyboard.press(key);
      await noteOf(page, `Mia is ${status}.`).waitFor();
      expect((await service.client.getPet(2n)).status).toBe(status);
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('s');
    await noteOf(page, 'Rex is sold.').waitFor();
    await page.keyboard.press('u');
    await noteOf(page, 'Rex is available.').waitFor();
    expect(await focusedRow(page)).toBe('Rex');
  });

  it('writes one order for a key that is pressed twice', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('s');
    await page.keyboard.press('s');
    await noteOf(page, 'Rex is sold.').waitFor();
    await page.keyboard.press('s');
    const orders = await Array.fromAsync(tillOf(service).orders());
    expect(orders.map(({ petId, status }) => [petId, status])).toEqual([[1n, 'sold']]);
  });

  it('does not show a sale before the service has confirmed it', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const arrived = Promise.withResolvers<() => void>();
    await page.route('**/v1/pets/1', (route) =>
      route.request().method() === 'PATCH' ? arrived.resolve(() => void route.continue()) : route.continue(),
    );
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    const proceed = await arrived.promise;
    await rowOf(page, 'Rex').getByText('Saving…').waitFor();
    expect(await statusOf(page, 'Rex')).toBe('Available');
    expect(await visited.findBarriers()).toEqual([]);
    proceed();
    await noteOf(page, 'Rex is sold.').waitFor();
  });

  it('moves on to the next pet when the filter hides the sold one', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Available' }).check();
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Mia is sold.').waitFor();
    await rowOf(page, 'Mia').waitFor({ state: 'detached' });
    await page.waitForFunction(`document.activeElement.matches('.row')`);
    expect(await focusedRow(page)).toBe('Rex');
  });
});

describe('the menu of a pet', () => {
  it('sets any status, also none, with the mouse', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    for (const [item, text] of [
      ['Pending', 'is pending'],
      ['No status', 'has no status'],
    ] as const) {
      const menu = await openMenu(page, 'Rex');
      await menu.getByRole('menuitemradio', { name: item }).click();
      await noteOf(page, `Rex ${text}.`).waitFor();
    }
    expect('status' in (await service.client.getPet(1n))).toBe(false);
    const menu = await openMenu(page, 'Rex');
    expect(await menu.getByRole('menuitemradio', { name: 'No status' }).getAttribute('aria-checked')).toBe(
      'true',
    );
  });

  it('works with the keyboard alone and returns the focus', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('button', { name: 'Change Rex' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=menuitemradio]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await focusedRow(page)).toBe('Rex');
    await page.keyboard.press('Enter');
    await page.locator('[role=menuitemradio]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await noteOf(page, 'Rex is pending.').waitFor();
    expect(await focusedRow(page)).toBe('Rex');
    await page.keyboard.press('Enter');
    await page.locator('[role=menuitemradio]:focus').waitFor();
    await page.keyboard.press('s');
    await noteOf(page, 'Rex is sold.').waitFor();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [screen, size] of Object.entries({ desktop, phone })) {
      it(`passes axe and stays on a ${screen} in ${colorScheme} colours`, async () => {
        await using service = await openShop('Rex', 'Mia');
        await using visited = await openConsole(chromium.browser, service, { ...size, colorScheme });
        const { page, complaints } = visited;
        const menu = await openMenu(page, 'Rex');
        expect(await visited.findBarriers()).toEqual([]);
        const { x, width } = (await menu.boundingBox())!;
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(size.viewport!.width);
        await menu.getByRole('menuitemradio', { name: 'Sold' }).click();
        await noteOf(page, 'Rex is sold.').waitFor();
        expect(await visited.findBarriers()).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        expect(complaints).toEqual([]);
      });
    }
  }
});
