import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { openConsole } from '../../../test/support/browser/console.ts';
import { drawn, noteOf, openShop, rowOf, stopClock } from '../../../test/support/browser/shop.ts';
import type { ListeningService } from '../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';

const chromium = browserOfFile();

const soldIn = async (service: ListeningService): Promise<bigint[]> =>
  (await Array.fromAsync(service.client.pets({ status: 'sold' }))).map(({ id }) => id);

/** The addresses of all changes that a page sends from now on. */
function changesOf(page: Page): string[] {
  const changes: string[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
  return changes;
}

describe('hurried hands', () => {
  it('sell one pet with two clicks on Sell, 150 ms apart', async () => {
    await using service = await openShop('Rex', 'Mia', 'Balu');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Available' }).check();
    await page.waitForResponse('**/v1/pets/search?*status=available*');
    // Until the list has settled.
    await page.getByRole('button', { name: 'Sell Mia' }).click({ trial: true });
    const { x, y } = (await page.getByRole('button', { name: 'Sell Mia' }).boundingBox())!;
    const click = () => page.mouse.click(x + 5, y + 5);
    const changes = changesOf(page);
    await stopClock(page);
    await Promise.all([page.waitForResponse('**/v1/pets/2'), click()]);
    await drawn(page, page.getByRole('button', { name: 'Return Mia' }));
    for (const delayMs of [150, 300]) {
      await page.clock.runFor(delayMs);
      await click();
    }
    // After a second the button means what it says.
    await page.clock.runFor(1000);
    expect(changes).toEqual([`${service.url}/v1/pets/2`]);
    expect(await soldIn(service)).toEqual([2n]);
    expect((await Array.fromAsync(service.client.orders())).length).toBe(1);
    await click();
    await drawn(page, noteOf(page, 'Mia is available.'));
  });

  it('sell one pet after the other with the keyboard, and each once', async () => {
    await using service = await openShop('Rex', 'Mia', 'Balu');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await rowOf(page, 'Rex').waitFor();
    await stopClock(page);
    for (const name of ['Rex', 'Mia']) {
      await page.getByRole('button', { name: `Sell ${name}` }).focus();
      await page.keyboard.press('Enter');
      await drawn(page, noteOf(page, `${name} is sold.`));
      await page.keyboard.press('Enter');
    }
    await page.clock.runFor(1000);
    expect(await soldIn(service)).toEqual([1n, 2n]);
    expect((await Array.fromAsync(service.client.orders())).length).toBe(2);
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
    const changes = changesOf(page);
    const sell = (id: number) => page.getByRole('button', { name: `Sell Pet ${id}`, exact: true });
    await sell(59998).click({ trial: true });
    const [painted, below] = [await sell(59998).boundingBox(), await sell(59990).boundingBox()];
    const arrived = Promise.withResolvers<() => void>();
    await page.route('**/v1/pets/search?*categoryId=3*', (route) =>
      arrived.resolve(() => void route.continue()),
    );
    await page.getByRole('searchbox').fill('category:3');
    const proceed = await arrived.promise;
    await page.mouse.click(painted!.x + 5, painted!.y + 5);
    await noteOf(page, 'Pet 59998 is sold.').waitFor();
    // The time in which new rows take no click stands still, however slow the machine is.
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
    proceed();
    await page.locator('.row[data-id="60000"]').waitFor({ state: 'detached' });
    await page.mouse.click(below!.x + 5, below!.y + 5);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    expect(changes).toEqual([`${service.url}/v1/pets/59998`]);
    await session.send('Animation.setPlaybackRate', { playbackRate: 1 });
    await sell(59994).click();
    await noteOf(page, 'Pet 59994 is sold.').waitFor();
    expect(await soldIn(service)).toEqual([59994n, 59998n]);
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
