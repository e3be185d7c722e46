import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { looks, openConsole, overflowing, phone } from '../../../test/support/browser/console.ts';
import {
  focusedRow,
  noteOf,
  openDetails,
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

  it('leaves the sold pet in its place, greyed, until the list is loaded by hand', async () => {
    await using service = await openShop('Rex', 'Mia', 'Gone');
    await service.client.updatePet(3n, { status: 'sold' });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await rowOf(page, 'Gone').waitFor();
    await page.getByRole('radio', { name: 'Available' }).check();
    await rowOf(page, 'Gone').waitFor({ state: 'detached' });
    const before = await rowOf(page, 'Rex').boundingBox();
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Mia is sold.').waitFor();
    await page.locator('.row.is-out').filter({ hasText: 'Mia' }).getByText('Sold').waitFor();
    await page.waitForResponse('**/v1/pets/search?*');
    expect(await rowOf(page, 'Rex').boundingBox()).toEqual(before);
    expect(await focusedRow(page)).toBe('Mia');
    expect(await visited.findBarriers()).toEqual([]);
    await page.reload();
    await rowOf(page, 'Rex').waitFor();
    expect(await rowOf(page, 'Mia').count()).toBe(0);
  });
});

describe('the details of a pet', () => {
  it('set any status, also none', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const details = await openDetails(page, 'Rex');
    for (const [item, text] of [
      ['Pending', 'is pending'],
      ['No status', 'has no status'],
    ] as const) {
      await details.getByRole('button', { name: item }).click();
      await noteOf(page, `Rex ${text}.`).waitFor();
      expect(await details.getByRole('button', { name: item }).getAttribute('aria-pressed')).toBe('true');
    }
    expect('status' in (await service.client.getPet(1n))).toBe(false);
    await details.getByText('Pending by API_KEYS').waitFor();
  });

  it('name the pet, open and close with the keyboard, and return the focus', async () => {
    await using service = await openShop('Rex', 'Mia');
    await using visited = await openConsole(chromium.browser, service, phone);
    const { page } = visited;
    await page.getByRole('button', { name: 'Change Rex' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Rex' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.details').waitFor({ state: 'detached' });
    expect(await focusedRow(page)).toBe('Rex');
  });

  for (const [look, options] of Object.entries(looks)) {
    it(`pass axe and stay on ${look}`, async () => {
      await using service = await openShop('Rex', 'Mia');
      await using visited = await openConsole(chromium.browser, service, options);
      const { page, complaints } = visited;
      const details = await openDetails(page, 'Rex');
      expect(await visited.findBarriers()).toEqual([]);
      const { x, width } = (await details.boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(options.viewport!.width);
      await details.getByRole('button', { name: 'Sold' }).click();
      await noteOf(page, 'Rex is sold.').waitFor();
      expect(await visited.findBarriers()).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  }
});
