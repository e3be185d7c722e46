import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { openConsole } from '../../../test/support/browser/console.ts';
import { noteOf, openShop, rowOf } from '../../../test/support/browser/shop.ts';
import type { ListeningService } from '../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';

const chromium = browserOfFile();

const soldIn = async (service: ListeningService): Promise<bigint[]> =>
  (await Array.fromAsync(service.client.pets({ status: 'sold' }))).map(({ id }) => id);

describe('hurried hands', () => {
  it('sell one pet with two clicks on Sell, 150 ms apart', async () => {
    await using service = await openShop('Rex', 'Mia', 'Balu');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Available' }).check();
    const { x, y } = (await page.getByRole('button', { name: 'Sell Mia' }).boundingBox())!;
    // Until the list has settled.
    await page.getByRole('button', { name: 'Sell Mia' }).click({ trial: true });
    await page.waitForTimeout(800);
    for (const delay of [150, 300, 150]) {
      await page.mouse.click(x + 5, y + 5);
      await page.waitForTimeout(delay);
    }
    await noteOf(page, 'Mia is sold.').waitFor();
    await page.waitForTimeout(300);
    expect(await soldIn(service)).toEqual([2n]);
    expect((await Array.fromAsync(service.client.orders())).length).toBe(1);
    // After a second the button means what it says.
    await page.waitForTimeout(1000);
    await page.mouse.click(x + 5, y + 5);
    await noteOf(page, 'Mia is available.').waitFor();
  });

  it('sell the pet that was painted there, or none, while a list of 60,000 loads', async () => {
    const pets = Array.from({ length: 60_000 }, (_, index) => ({
      name: `Pet ${index + 1}`,
      categoryId: BigInt(index % 7),
      status: 'available' as const,
    }));
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    const sell = page.getByRole('button', { name: 'Sell Pet 59998', exact: true });
    await sell.click({ trial: true });
    const { x, y } = (await sell.boundingBox())!;
    // Others fill the place of this row as soon as the list is here.
    await page.getByRole('searchbox').fill('category:3');
    const loaded = page.waitForResponse('**/v1/pets/search?*categoryId=3*');
    await loaded;
    await page.locator('.row[data-id="60000"]').waitFor({ state: 'detached' });
    await page.mouse.click(x + 5, y + 5);
    await page.waitForTimeout(700);
    expect((await soldIn(service)).filter((id) => id !== 59998n)).toEqual([]);
    await rowOf(page, 'Pet 59994').getByRole('button', { name: 'Sell' }).click();
    await noteOf(page, 'Pet 59994 is sold.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keep the rows in place in two windows while the other one sells', async () => {
    await using service = await openShop('Rex', 'Mia', 'Balu');
    await using first = await openConsole(chromium.browser, service);
    await using second = await openConsole(chromium.browser, service);
    for (const { page } of [first, second]) {
      await page.getByRole('radio', { name: 'Available' }).check();
      await page.waitForResponse('**/v1/pets/search?*status=available*');
    }
    const before = await rowOf(second.page, 'Rex').boundingBox();
    await first.page.getByRole('button', { name: 'Sell Mia' }).click();
    await second.page.locator('.row.is-out').filter({ hasText: 'Mia' }).getByText('Sold').waitFor();
    expect(await rowOf(second.page, 'Rex').boundingBox()).toEqual(before);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });
});
