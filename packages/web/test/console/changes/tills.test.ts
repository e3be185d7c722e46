import { expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../../../../test/support/browser/use-browser.ts';
import { openConsole } from '../../../../../test/support/browser/console.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { slowDown } from '../helpers.ts';

const chromium = useBrowser();
/** `TILLS_SECONDS=60` runs the long form. */
const durationMs = Number(process.env['TILLS_SECONDS'] ?? 3) * 1000;
const words = ['rex', 'mia', 'balu', '', '7'];

const pick = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(Math.random() * items.length)];

/** A click on Sell: the pet that was painted there, and what the console said afterwards. */
interface Click {
  id: string;
  notes: string;
}

/** Remembers on which row a click has landed, and how long that row had been there. */
const watchHits = `
  window.rowSince = new WeakMap();
  window.rowWatch ??= new MutationObserver((records) => {
    for (const { target, addedNodes } of records)
      for (const node of [target, ...addedNodes])
        for (const row of [node, ...(node.querySelectorAll?.('.row') ?? [])])
          if (row.matches?.('.row')) rowSince.set(row, performance.now());
  });
  rowWatch.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-id'] });
  addEventListener('pointerdown', ({ target }) => {
    const row = target.closest('.row');
    window.hit = row && { id: row.dataset.id, forMs: performance.now() - (rowSince.get(row) ?? 0) };
  }, true);`;
/** A slow machine may take longer from the look to the click than a person, who would have seen the new row by then. */
const seenAfterMs = 500;

/** Clicks on a Sell button that can be seen, wherever its row may be by now, and waits until something is said. */
async function clickSell(page: Page): Promise<Click | undefined> {
  const seen = await page.evaluate<{ id: string; x: number; y: number }[]>(`{
    window.said = [];
    window.observer ??= new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
      for (const note of added.filter((node) => node.matches?.('.note'))) said.push(note.textContent);
    });
    observer.observe(document.querySelector('.notes'), { subtree: true, childList: true });
    [...document.querySelectorAll('.row .sell')]
      .map((button) => ({ id: button.closest('.row').dataset.id, box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.top > 200 && box.bottom < innerHeight)
      .map(({ id, box }) => ({ id, x: box.x + 9, y: box.y + 9 }));
  }`);
  const target = pick(seen);
  if (!target) return undefined;
  await page.mouse.click(target.x, target.y);
  const endMs = Date.now() + 60_000;
  let said: string[] = [];
  while (said.length === 0 && Date.now() < endMs) {
    await Bun.sleep(20);
    said = await page.evaluate<string[]>('said');
  }
  const hit = await page.evaluate<{ id: string; forMs: number } | null>('hit');
  const id = hit && hit.forMs > seenAfterMs ? hit.id : target.id;
  return { id, notes: said.join(' | ') };
}

it('ends each click on Sell at five tills in an order for that pet or in a message', async () => {
  const pets = Array.from({ length: 2000 }, (_, index) => ({
    name: `${['Rex', 'Mia', 'Balu', 'Nala'][index % 4]} ${index}`,
    categoryId: BigInt(index % 9),
    status: 'available' as const,
  }));
  await using service = await openServiceOnFile(pets);
  const clicks: Click[] = [];
  const complaints: string[] = [];
  const endMs = Date.now() + durationMs;
  const work = async () => {
    await using till = await openConsole(chromium.browser, service);
    const { page } = till;
    await page.locator('.row .sell').first().waitFor();
    await page.evaluate(watchHits);
    await slowDown(page, '**/v1/**', () => Math.random() * 700);
    do {
      await page.getByRole('searchbox').fill(pick(words) ?? '');
      await page.waitForTimeout(Math.random() ** 2 * 3000);
      const click = await clickSell(page);
      if (click) clicks.push(click);
    } while (Date.now() < endMs);
    complaints.push(...till.complaints);
  };
  await Promise.all(Array.from({ length: 5 }, work));
  const orders = await Array.fromAsync(service.client.orders());
  const sold = new Set(orders.map(({ petId }) => petId.toString()));
  const isRight = ({ id, notes }: Click) =>
    (notes.includes(`(${id}) is sold.`) && sold.has(id)) ||
    notes.includes(`(${id})`) ||
    notes.includes('Nothing was done');
  expect(clicks.filter((click) => !isRight(click))).toEqual([]);
  expect(clicks.length).toBeGreaterThanOrEqual(5);
  // Nobody sold a pet on which nobody clicked, and none was sold twice.
  const clicked = new Set(clicks.map(({ id }) => id));
  expect([...sold].filter((id) => !clicked.has(id))).toEqual([]);
  expect(orders.length).toBe(sold.size);
  expect(complaints).toEqual([]);
}, 240_000);
