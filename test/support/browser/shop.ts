import type { Locator, Page } from 'playwright-core';
import { openListeningService, type ListeningService } from '../http/listening.ts';
import { addPets, manyPets } from './console.ts';

/** A service whose pets can be changed, with these available pets in it. */
export async function openShop(...names: string[]): Promise<ListeningService> {
  const service = await openListeningService();
  await addPets(
    service,
    names.map((name) => ({ name, categoryId: 7n, status: 'available' })),
  );
  return service;
}

/** A service with so many pets, of each status in turn. */
export async function openShopOf(count: number): Promise<ListeningService> {
  const service = await openListeningService();
  await addPets(service, manyPets(count));
  return service;
}

/** The pets of all orders. */
export const soldIn = async ({ client }: ListeningService): Promise<bigint[]> =>
  (await Array.fromAsync(client.orders())).map(({ petId }) => petId);

/** From now on, this console does not hear what others do. */
export async function deafen(page: Page): Promise<void> {
  const isAsking = Promise.withResolvers<void>();
  await page.route('**/v1/pets/search?*', () => {});
  await page.route('**/v1/events?*', () => isAsking.resolve());
  // The request that waits for events already is not caught; this makes the console ask anew.
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  await isAsking.promise;
}

export const rowOf = (page: Page, name: string): Locator => page.locator('.row').filter({ hasText: name });

export const statusOf = (page: Page, name: string): Promise<string> =>
  rowOf(page, name).locator('.status').innerText();

export const noteOf = (page: Page, text: string): Locator => page.locator('.note').filter({ hasText: text });

/** Opens the details of a pet. */
export async function openDetails(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: `Change ${name}` }).click();
  const details = page.locator('.details');
  await details.waitFor();
  return details;
}

/** Waits until a click on the spot of the last one counts again. */
export const calmDown = (page: Page): Promise<void> => page.waitForTimeout(1100);

/** The text of the element that has the focus, or of its row. */
export function focusedRow(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    `document.activeElement.closest('.row')?.querySelector('.name')?.textContent`,
  );
}

/** From now on, time passes in the page only when the test says so, so the speed of the machine does not matter. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 1000'));
}

/** Lets the little time pass that the page needs to draw. */
export async function drawUntil(page: Page, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await page.clock.runFor(1);
}

/** Lets the page draw until the element is there. */
export const drawn = (page: Page, element: Locator): Promise<void> =>
  drawUntil(page, async () => (await element.count()) > 0);

/** Lets the page draw until the element is gone. */
export const erased = (page: Page, element: Locator): Promise<void> =>
  drawUntil(page, async () => (await element.count()) === 0);
