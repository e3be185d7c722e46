import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { petStatuses, type NewPet } from '../../../src/domain/pet.ts';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { openConsole, phone, rows } from '../../../test/support/browser/console.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';

const chromium = browserOfFile();

function makePets(count: number): NewPet[] {
  return Array.from({ length: count }, (_, index) => {
    const status = [...petStatuses, undefined][index % 4];
    return { name: `Pet ${index + 1}`, categoryId: BigInt(index % 50), ...(status && { status }) };
  });
}

/** More rows than this would make scrolling slow; a screen has about 20 and a margin. */
const mostRows = 60;

const isRowOnScreen = `[...document.querySelectorAll('.row')].some((row) => {
  const { top } = row.getBoundingClientRect();
  return top > innerHeight / 2 && top < innerHeight;
})`;

describe('the list of 50,000 pets', () => {
  it('is searched and scrolled smoothly: only the rows on the screen exist', async () => {
    await using service = await openServiceOnFile(makePets(50_000));
    await using visited = await openConsole(chromium.browser, service, {
      viewport: { width: 1366, height: 768 },
    });
    const { page, complaints } = visited;
    await page.getByRole('radio', { name: 'All 50,000' }).waitFor({ timeout: 90_000 });
    await page.getByText('Pet 50000').waitFor();
    expect(await page.locator('.filter').innerText()).toMatch(/Available\s+12,500\s+Pending\s+12,500/);
    expect(await rows(page).count()).toBeLessThan(mostRows);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('50001');

    await page.getByRole('searchbox').fill('pet 31337');
    await page.getByText('1 of 50,000 pets').waitFor();
    expect(await page.locator('.name-text').allTextContents()).toEqual(['Pet 31337']);
    await page.getByRole('searchbox').fill('');
    await page.getByText('Pet 50000').waitFor();

    for (const place of [0.25, 0.5, 0.9, 1]) {
      await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${place})`);
      while (!(await page.evaluate<boolean>(isRowOnScreen))) await page.waitForTimeout(20);
      expect(await rows(page).count()).toBeLessThan(mostRows);
    }
    await rows(page).getByText('Pet 1', { exact: true }).waitFor();
    expect(await visited.findBarriers()).toEqual([]);
    expect(complaints).toEqual([]);
    await printFigures(page);
  });

  it('says what it searched when the store has more', async () => {
    await using service = await openServiceOnFile(makePets(50_200));
    await using visited = await openConsole(chromium.browser, service, phone);
    const { page, complaints } = visited;
    await page
      .getByText('The list and the search cover the 50,000 oldest pets only.')
      .waitFor({ timeout: 90_000 });
    await page.getByRole('searchbox').fill('pet 50100');
    await page.getByText('No pets match “pet 50100”').waitFor();
    await page.getByText('None of the 50,000 pets').waitFor();
    expect(await visited.findBarriers()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Figures for people: machines differ, so nothing is expected of them. */
async function printFigures(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await page.reload();
  await rows(page).first().waitFor();
  const rowsMs = await page.evaluate<number>('performance.now()');
  await page.getByRole('radio', { name: 'All 50,000' }).waitFor({ timeout: 90_000 });
  const loadedMs = await page.evaluate<number>('performance.now()');
  const paintMs = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`,
  );
  const figures = [
    `${(usedSize / 2 ** 20).toFixed(1)} MB of heap`,
    `first paint after ${Math.round(paintMs)} ms`,
    `first rows after ${Math.round(rowsMs)} ms`,
    `all pets after ${Math.round(loadedMs)} ms`,
  ];
  process.stdout.write(`50,000 pets in the console: ${figures.join(', ')}\n`);
}
