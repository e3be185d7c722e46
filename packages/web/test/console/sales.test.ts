import { describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../../../test/support/browser/use-browser.ts';
import {
  createKey,
  desktop,
  openConsole,
  overflowing,
  phone,
} from '../../../../test/support/browser/console.ts';
import { calmDown, deafen, noteOf, openShop } from '../../../../test/support/browser/shop.ts';
import { addPet, idsOf } from '../../../../test/support/http/calls.ts';
import { openListeningService, type ListeningService } from '../../../../test/support/http/listening.ts';
import { openService } from '../../../../test/support/http/service.ts';
import { insertOrders } from '../../../../test/support/insert-rows.ts';
import { makeStorePlace, openTemporaryStore } from '../../../../test/support/store-place.ts';
import type { Order } from '../../../client/src/index.ts';
import { CategoryNames } from '../../src/console/categories/category-names.ts';
import { isFound, type Sale } from '../../src/console/sales/sale.ts';
import { hold } from './helpers.ts';

const chromium = useBrowser();
const largest = 2n ** 63n - 1n;
const longName = 'Prince Maximilian von und zu Hohenlohe-Langenburg the Third of his Name '.repeat(3);

/** A shop with these orders, whose pets are gone. */
async function openShopWith(orders: readonly Order[]): Promise<ListeningService> {
  const place = await makeStorePlace();
  await insertOrders(
    place,
    orders.map((order) => ({ name: 'Rex', categoryId: 1n, ...order })),
  );
  return openListeningService({ openStore: () => openTemporaryStore(async () => place) });
}

const total = (page: Page) => page.locator('.total').innerText();

/** The rows of the totals by till, or by category. */
const totalsBy = (page: Page, title: string) =>
  page.locator('.totals table').filter({ hasText: title }).locator('tbody tr').allInnerTexts();

async function saveCsv(page: Page): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  return readFile(await download.path());
}

describe('the sales', () => {
  it('show who sold, returned and removed what on a day, and can be searched and saved', async () => {
    await using service = await openShop('Coco', 'Mia', longName, 'Balu', '=Nala');
    const till = service.clientWith({ apiKey: (await createKey(service, 'till-2')).text });
    for (const id of [1n, 2n, 3n, 5n]) await till.updatePet(id, { status: 'sold' });
    await till.updatePet(1n, { name: 'Kiki', categoryId: 8n });
    await till.putCategory(7n, 'Parrots');
    await till.deletePet(2n);
    await till.updatePet(4n, { status: 'pending' });
    await till.updatePet(4n, { status: 'sold' });
    await service.client.createPet({ name: 'Coco', categoryId: largest, status: 'pending' });
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
        ...[longName, 'Mia', 'Coco'],
      ]);
      expect(await sale(1).innerText()).toMatch(/\d:\d\d [AP]M[^]*Coco[^]*1[^]*Parrots[^]*Sold[^]*till-2/);
      expect(await sale(5).innerText()).toMatch(/Sold[^]*returned \d+:\d\d [AP]M, till-3/);
      expect(await sale(4).last().innerText()).toMatch(/Pending[^]*sold \d+:\d\d [AP]M/);
      expect(await total(page)).toMatch(/Sold\s4\s+pending 1\s+returned 1/);
      if (size.isMobile) await page.getByText('By till and category').click();
      expect(await totalsBy(page, 'Till')).toEqual(['API_KEYS\t0\t1\t0', 'till-2\t4\t0\t1']);
      expect(await totalsBy(page, 'Category')).toEqual([`${largest}\t0\t1\t0`, 'Parrots\t4\t0\t1']);
      expect(await visited.findBarriers()).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      const find = page.getByRole('searchbox', { name: 'Find in this day' });
      await find.fill('HOHEN maxi');
      await sale(1).waitFor({ state: 'detached' });
      expect(await page.locator('.sale').count()).toBe(1);
      await find.fill('5');
      expect(await page.locator('.sale .name').allInnerTexts()).toEqual(['=Nala']);
      expect(await total(page)).toMatch(/Sold\s4/);
      const lines = (await saveCsv(page)).toString().split('\r\n');
      expect(lines).toEqual([
        '\uFEFFTime,Id,Name,Category,Status,Till,Returned,Returned by',
        expect.stringMatching(
          /^[-\d]{10} [:\d]{8},5,"'=Nala","Parrots","Sold","till-2",[-\d]{10} [:\d]{8},"till-3"$/,
        ),
        '',
      ]);
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
    // A day of 25 hours in Berlin.
    const times = ['24T21:59:59.999Z', '24T22:00:00.000Z', '25T22:59:59.999Z', '25T23:00:00.000Z'];
    const orders = times.map((time, index): Order => {
      const id = BigInt(index + 1);
      return {
        id,
        petId: id,
        name: time,
        categoryId: 7n,
        status: 'sold',
        createdAt: new Date(`2026-10-${time}`),
      };
    });
    await using service = await openShopWith(orders);
    const options = { timezoneId: 'Europe/Berlin', locale: 'en-US' };
    await using visited = await openConsole(chromium.browser, service, options);
    const { page } = visited;
    const wanted: string[] = [];
    page.on('request', (request) => wanted.push(new URL(request.url()).searchParams.get('since') ?? ''));
    await page.goto(`${service.url}/#/sales`);
    await page.getByRole('heading', { name: 'No sales on this day' }).waitFor();
    expect(await page.getByRole('button', { name: 'The day after' }).isDisabled()).toBe(true);
    expect(await visited.findBarriers()).toEqual([]);
    const day = page.getByLabel('Day', { exact: true });
    const names = page.locator('.sale .name');
    await day.fill('2026-10-25');
    await names.getByText(times[1]!).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sunday, October 25');
    expect(await names.allInnerTexts()).toEqual([times[2]!, times[1]!]);
    expect(await total(page)).toMatch(/Sold\s2/);
    await page.reload();
    await names.getByText(times[1]!).waitFor();
    await page.getByRole('button', { name: 'The day before' }).click();
    await names.getByText(times[0]!).waitFor();
    expect(await names.allInnerTexts()).toEqual([times[0]!]);
    expect(await day.inputValue()).toBe('2026-10-24');
    // A year that is still being typed is no year, and no key of a fast typist is lost.
    for (const [typed, shown] of [
      ['10252026', times[1]!],
      ['10242026', times[0]!],
      ['10262026', times[3]!],
    ] as const) {
      await day.focus();
      await page.keyboard.type(typed);
      await names.getByText(shown).waitFor();
      await day.blur();
    }
    expect(await names.allInnerTexts()).toEqual([times[3]!]);
    expect(wanted.filter((since) => since !== '' && !since.startsWith('2026-'))).toEqual([]);
  });

  it('need one request for each page of a day, and keep what was sold', async () => {
    const orders = Array.from({ length: 500 }, (_, index): Order => {
      const id = BigInt(index + 1);
      const createdAt = new Date(Date.UTC(2026, 2, 5, 0, 0, 160 * index));
      const pet = { petId: id, name: `Pet no ${id}`, categoryId: id % 3n };
      return { id, ...pet, status: 'sold', createdAt, createdBy: `till-${id % 2n}` };
    });
    // Nobody knows who sold it.
    orders.push({ id: 501n, petId: 12n, status: 'sold', createdAt: new Date('2026-03-05T23:00:00Z') });
    await using service = await openShopWith(orders);
    const options = { timezoneId: 'UTC', locale: 'de-DE' };
    await using visited = await openConsole(chromium.browser, service, options);
    const { page } = visited;
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname !== '/v1/events') requests.push(pathname);
    });
    await page.goto(`${service.url}/#/sales?day=2026-03-05`);
    await page.locator('.total b').waitFor();
    expect(await total(page)).toMatch(/Sold\s501/);
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(requests.filter((path) => path.startsWith('/v1/pets'))).toEqual([]);
    expect(await page.locator('.sale').count()).toBe(501);
    expect(await totalsBy(page, 'Till')).toEqual([
      'Not recorded\t1\t0\t0',
      'till-0\t250\t0\t0',
      'till-1\t250\t0\t0',
    ]);
    expect(await totalsBy(page, 'Category')).toEqual([...['0\t166\t0\t0', '1\t168\t0\t0', '2\t167\t0\t0']]);
    // A German Excel expects semicolons.
    const [bytes, mark] = [await saveCsv(page), Buffer.from([0xef, 0xbb, 0xbf])];
    expect(bytes.subarray(0, 3)).toEqual(mark);
    const lines = bytes.subarray(3).toString().split('\r\n');
    expect(lines.length).toBe(503);
    expect(lines.slice(0, 3)).toEqual([
      'Time;Id;Name;Category;Status;Till;Returned;Returned by',
      '2026-03-05 23:00:00;12;"Rex";"1";"Sold";"";;""',
      '2026-03-05 22:10:40;500;"Pet no 500";"2";"Sold";"till-0";;""',
    ]);
    await page.getByRole('button', { name: 'Change Pet no 500' }).click();
    await noteOf(page, 'No pet has the id 500.').waitFor();
    expect(await page.locator('.details').count()).toBe(0);
  });

  it('have no total until the whole day is read, and say if that fails', async () => {
    await using service = await openShop('Rex');
    for (let index = 0; index < 51; index++)
      for (const status of ['sold', 'pending'] as const) await service.client.updatePet(1n, { status });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const release = await hold(page, '**/v1/store/orders?*cursor=*');
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.locator('.sale').nth(99).waitFor();
    expect(await total(page)).toBe('Loading…');
    expect(await page.getByRole('button', { name: 'CSV' }).isDisabled()).toBe(true);
    release();
    await page.locator('.total b').waitFor();
    expect(await page.locator('.sale').count()).toBe(102);
    await service.goAway();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    service.comeBack();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor({ state: 'detached' });
  });

  it('offer a return, after ten seconds, unless somebody was faster', async () => {
    await using service = await openShop('Rex', 'Mia');
    for (const id of [1n, 2n]) await service.client.updatePet(id, { status: 'sold' });
    await service.client.updatePet(1n, { name: 'Max' });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.goto(`${service.url}/#/sales`);
    await page.getByRole('button', { name: 'Change Rex' }).click();
    // The sheet has the name as sold, and the details have the one of today.
    await page.locator('.details').getByRole('heading', { name: 'Max' }).waitFor();
    await page.clock.install();
    await page.locator('.details').getByRole('button', { name: 'Return' }).click();
    await page.locator('.sale.is-struck').getByText('returning…').waitFor();
    await page.clock.fastForward(10_000);
    await noteOf(page, 'Max (1) was returned and is available.').waitFor();
    expect((await service.client.getPet(1n)).status).toBe('available');
    await page
      .locator('.sale[data-pet="1"]')
      .getByText(/^\s*returned .*, API_KEYS$/)
      .waitFor();
    expect(await total(page)).toMatch(/Sold\s1\s+pending 0\s+returned 1/);
    expect(await visited.findBarriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await calmDown(page);
    await page.getByRole('button', { name: 'Change Mia' }).click();
    await page.locator('.details').waitFor();
    await deafen(page);
    await service.client.updatePet(2n, { name: 'Mio' });
    await page.locator('.details').getByRole('button', { name: 'Return' }).click();
    await noteOf(page, 'Somebody else has renamed Mia (2) to Mio (2) in the meantime.').waitFor();
    expect((await service.client.getPet(2n)).status).toBe('sold');
    // Its pet is the one in hand.
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Pets' }).click();
    await page.locator('.row[data-id="2"][aria-selected=true]').waitFor();
  });
});

describe('a search in Sales', () => {
  it('finds the pets that the search of pets finds', async () => {
    await using service = await openService();
    const petNames = ['Łucja', 'STRASSE 1', 'Straße 2', 'Zoë', 'Aegir', 'Οδυσσεύς', 'Rex №５'];
    const sales = await Promise.all(
      petNames.map(async (name): Promise<Sale> => {
        const id = BigInt(await addPet(service.call, { name, categoryId: 1 }));
        return { order: { id, petId: id, name, status: 'sold', createdAt: new Date() }, soldBy: undefined };
      }),
    );
    const names = new CategoryNames([{ id: 1n, name: 'Dogs' }]);
    expect(isFound({ order: { ...sales[0]!.order, categoryId: 1n }, soldBy: undefined }, 'dog', names)).toBe(
      true,
    );
    for (const text of ['lucja', 'ŁUCJA', 'strasse', 'zoe', 'ægir', 'ΟΔΥΣΣΕΥΣ', 'no5']) {
      const pets = await service.call(`/v1/pets/search?q=${encodeURIComponent(text)}`);
      const found = sales
        .filter((sale) => isFound(sale, text, names))
        .map(({ order }) => String(order.petId));
      expect(found).not.toEqual([]);
      expect([text, ...found.toSorted()]).toEqual([text, ...idsOf(await pets.text()).toSorted()]);
    }
  });
});
