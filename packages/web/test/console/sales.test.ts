import { describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { browserOfFile } from '../../../../test/support/browser/browser-of-file.ts';
import {
  createKey,
  desktop,
  openConsole,
  overflowing,
  phone,
} from '../../../../test/support/browser/console.ts';
import { calmDown, deafen, noteOf, openShop } from '../../../../test/support/browser/shop.ts';
import { addPet, idsOf } from '../../../../test/support/http/calls.ts';
import { openService } from '../../../../test/support/http/service.ts';
import { isFound, type Sale } from '../../src/console/sales/sale.ts';
import { slowDown } from './helpers.ts';

const chromium = browserOfFile();
const dayMs = 24 * 3600_000;
const longName = 'Prince Maximilian von und zu Hohenlohe-Langenburg the Third of his Name '.repeat(3);

interface Told {
  petId: number;
  createdAt: string;
}

/** From now on, the console gets other orders than the service tells. */
async function changeOrders(page: Page, change: (orders: Told[]) => void): Promise<void> {
  await page.route('**/v1/store/orders?*', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as Told[];
    change(json);
    await route.fulfill({ response, json });
  });
}

const total = (page: Page) => page.locator('.total').innerText();

describe('the sales', () => {
  it('show who sold, returned and removed what on a day, and can be searched and saved', async () => {
    await using service = await openShop('Coco', 'Mia', longName, 'Balu', '=Nala');
    const till = service.clientWith({ apiKey: (await createKey(service, 'till-2')).text });
    for (const id of [1n, 2n, 3n, 5n]) await till.updatePet(id, { status: 'sold' });
    await till.deletePet(2n);
    await till.updatePet(4n, { status: 'pending' });
    await till.updatePet(4n, { status: 'sold' });
    await service.client.createPet({ name: 'Coco', categoryId: 2n ** 63n - 1n, status: 'pending' });
    const another = service.clientWith({ apiKey: (await createKey(service, 'till-3')).text });
    await another.updatePet(5n, { status: 'available' });
    for (const size of [desktop, phone]) {
      await using visited = await openConsole(chromium.browser, service, size);
      const { page, complaints } = visited;
      await page.getByRole('link', { name: 'Sales', exact: true }).click();
      const sale = (petId: number) => page.locator(`.sale[data-pet="${petId}"]`);
      await sale(6).getByText('9223372036854775807').waitFor();
      const day = new Date().toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(day);
      expect(await page.locator('.sale .name').allInnerTexts()).toEqual([
        ...['Coco', 'Balu', 'Balu', '=Nala'],
        ...[longName, 'Pet 2, removed', 'Coco'],
      ]);
      expect(await sale(1).innerText()).toMatch(/\d:\d\d [AP]M[^]*Coco[^]*1[^]*7[^]*Sold[^]*till-2/);
      expect(await sale(5).innerText()).toMatch(/Sold[^]*returned \d+:\d\d [AP]M, till-3/);
      expect(await sale(4).last().innerText()).toMatch(/Pending[^]*sold \d+:\d\d [AP]M/);
      expect(await sale(2).getByRole('button').count()).toBe(0);
      expect(await total(page)).toMatch(/Sold\s4\s+pending 1\s+returned 1/);
      expect(await visited.findBarriers()).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      const find = page.getByRole('searchbox', { name: 'Find in this day' });
      await find.fill('HOHEN maxi');
      await sale(1).waitFor({ state: 'detached' });
      expect(await page.locator('.sale').count()).toBe(1);
      await find.fill('5');
      expect(await page.locator('.sale .name').allInnerTexts()).toEqual(['=Nala']);
      expect(await total(page)).toMatch(/Sold\s4/);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(lines.length).toBe(3);
      expect(lines[1]).toMatch(
        /^[-\d]{10} [:\d]{8},5,"'=Nala",7,"Sold","till-2",[-\d]{10} [:\d]{8},"till-3"$/,
      );
      await find.fill('nobody');
      await page.getByRole('heading', { name: 'No sales match “nobody”' }).waitFor();
      await find.fill('');
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
        `Sales, ${day}, ${new Date().getFullYear()}`,
      );
      expect(await page.locator('.sheet').isVisible()).toBe(true);
      expect(await page.locator('.bar, .find, .steps, .sale button').filter({ visible: true }).count()).toBe(
        0,
      );
      expect(complaints).toEqual([]);
    }
  });

  it('reach from midnight to midnight in the time zone of the browser', async () => {
    await using service = await openShop('Rex', 'Mia', 'Balu');
    for (const id of [1n, 2n, 3n]) await service.client.updatePet(id, { status: 'sold' });
    await using visited = await openConsole(chromium.browser, service, { timezoneId: 'Pacific/Kiritimati' });
    const { page } = visited;
    const midnight = await page.evaluate<number>('new Date().setHours(0, 0, 0, 0)');
    const times = [midnight - dayMs - 1, midnight - 1, midnight];
    await changeOrders(page, (orders) => {
      for (const order of orders) order.createdAt = new Date(times[order.petId - 1]!).toISOString();
    });
    await page.goto(`${service.url}/#/sales`);
    const names = page.locator('.sale .name');
    await names.getByText('Balu').waitFor();
    expect([await names.allInnerTexts(), await total(page)]).toEqual([
      ['Balu'],
      expect.stringMatching(/Sold\s1/),
    ]);
    expect(await page.getByRole('button', { name: 'The day after' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'The day before' }).click();
    await names.getByText('Mia').waitFor();
    expect(await names.allInnerTexts()).toEqual(['Mia']);
    await page.reload();
    await names.getByText('Mia').waitFor();
    await page.getByRole('button', { name: 'The day before' }).click();
    await names.getByText('Rex').waitFor();
    await page.getByRole('button', { name: 'The day before' }).click();
    await page.getByRole('heading', { name: 'No sales on this day' }).waitFor();
    expect(await visited.findBarriers()).toEqual([]);
  });

  it('have no total until the whole day is read, and say if that fails', async () => {
    await using service = await openShop('Rex');
    for (let index = 0; index < 51; index++)
      for (const status of ['sold', 'pending'] as const) await service.client.updatePet(1n, { status });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await slowDown(page, '**/v1/store/orders?*cursor=*');
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.locator('.sale').nth(99).waitFor();
    expect(await total(page)).toBe('Loading…');
    expect(await page.getByRole('button', { name: 'CSV' }).isDisabled()).toBe(true);
    await page.locator('.total b').waitFor();
    expect(await page.locator('.sale').count()).toBe(102);
    await service.goAway();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    service.comeBack();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor({ state: 'detached' });
  });

  it('offer a return, after a question, unless somebody was faster', async () => {
    await using service = await openShop('Rex', 'Mia');
    for (const id of [1n, 2n]) await service.client.updatePet(id, { status: 'sold' });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.goto(`${service.url}/#/sales`);
    page.on('dialog', (dialog) => dialog.accept());
    const takeBack = async (name: string) => {
      await page.getByRole('button', { name: `Change ${name}` }).click();
      await page.locator('.details').getByRole('button', { name: 'Return' }).click();
    };
    await takeBack('Rex');
    await noteOf(page, 'Rex (1) was returned and is available.').waitFor();
    expect((await service.client.getPet(1n)).status).toBe('available');
    await page
      .locator('.sale[data-pet="1"]')
      .getByText(/^\s*returned .*, API_KEYS$/)
      .waitFor();
    expect(await total(page)).toMatch(/Sold\s1\s+pending 0\s+returned 1/);
    expect(await visited.findBarriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await deafen(page);
    await service.client.updatePet(2n, { name: 'Mio' });
    await calmDown(page);
    await takeBack('Mia');
    await noteOf(page, 'Somebody else has renamed Mia (2) to Mio (2) in the meantime.').waitFor();
    expect((await service.client.getPet(2n)).status).toBe('sold');
  });
});

describe('a search in Sales', () => {
  it('finds the pets that the search of pets finds', async () => {
    await using service = await openService();
    const names = ['Łucja', 'STRASSE 1', 'Straße 2', 'Zoë', 'Aegir', 'Οδυσσεύς', 'Rex №５'];
    const sales = await Promise.all(
      names.map(async (name): Promise<Sale> => {
        const id = BigInt(await addPet(service.call, { name, categoryId: 1 }));
        const order = { id, petId: id, status: 'sold', createdAt: new Date() } as const;
        return { order, pet: { id, name, categoryId: 1n }, soldBy: undefined };
      }),
    );
    for (const text of ['lucja', 'ŁUCJA', 'strasse', 'zoe', 'ægir', 'ΟΔΥΣΣΕΥΣ', 'no5']) {
      const pets = await service.call(`/v1/pets/search?q=${encodeURIComponent(text)}`);
      const found = sales.filter((sale) => isFound(sale, text)).map(({ order }) => String(order.petId));
      expect(found).not.toEqual([]);
      expect([text, ...found.toSorted()]).toEqual([text, ...idsOf(await pets.text()).toSorted()]);
    }
  });
});
