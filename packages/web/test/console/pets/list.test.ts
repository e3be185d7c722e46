import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../../test/support/http/listening.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import {
  add,
  desktop,
  openConsole,
  overflowing,
  phone,
  rows,
} from '../../../../../test/support/browser/console.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';
import { openShopOf } from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('the list', () => {
  it('shows every digit and every character: 255 on two lines, and all of them in the details', async () => {
    await using service = await openListeningService();
    const name = 'Sir <b>Barks</b> & “Co” ' + 'x'.repeat(200);
    const endless = 'Sir Barksalot of Longname '.repeat(10).slice(0, 255);
    await service.client.createPet({ name, categoryId: 2n ** 63n - 1n, status: 'sold' });
    await service.client.createPet({ name: '', categoryId: -(2n ** 63n) });
    await service.client.createPet({ name: endless, categoryId: 2n });
    for (const size of [desktop, phone]) {
      await using visited = await openConsole(tills.browser, service, size);
      const { page } = visited;
      await page.getByText(name, { exact: true }).waitFor();
      const text = await rows(page).allTextContents();
      expect(text[1]).toContain('-9223372036854775808');
      expect(text[1]).toContain('No name');
      expect(text[1]).toContain('No status');
      expect(text[2]).toContain('9223372036854775807');
      expect(text[2]).toContain('Sold');
      expect(await overflowing(page)).toEqual([]);
      const lines = await page.evaluate<number>(`{
        const text = document.querySelector('.name-text');
        text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight);
      }`);
      expect(Math.round(lines)).toBe(2);
      await rows(page).first().focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('.details h2').textContent()).toBe(endless);
      expect(await visited.findBarriers()).toEqual([]);
    }
  });

  it('draws no other row again when a pet is added, and lays out none that is out of sight', async () => {
    const pets = Array.from({ length: 250 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    const { page } = await tills.open(openServiceOnFile(pets));
    await rows(page).getByText('Pet 250', { exact: true }).waitFor();
    // A wheel could still turn after the last row.
    while ((await rows(page).count()) < 250) await page.evaluate('scrollBy(0, 3000)');
    await page.evaluate('scrollTo(0, 0)');
    const session = await page.context().newCDPSession(page);
    await session.send('Profiler.enable');
    await session.send('Profiler.startPreciseCoverage', { callCount: true });
    await add(page, 'Pixel', '1');
    await rows(page).getByText('Pixel').waitFor();
    const { result } = await session.send('Profiler.takePreciseCoverage');
    // The function that draws a row is the smallest one with this word in it.
    const script = result.find(({ url }) => url.includes('/assets/'))!;
    const source = await (await fetch(script.url)).text();
    const counts = script.functions
      .flatMap(({ ranges }) => ranges.slice(0, 1))
      .filter(({ startOffset, endOffset }) => source.slice(startOffset, endOffset).includes('rowheader'))
      .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
    expect(counts[0]!.count).toBeGreaterThan(0);
    expect(counts[0]!.count).toBeLessThan(20);
    const isSkipped = (index: number) =>
      rows(page)
        .nth(index)
        .locator('.name')
        .evaluate((part) => !part.checkVisibility({ contentVisibilityAuto: true }));
    expect([await isSkipped(0), await isSkipped(240)]).toEqual([false, true]);
  });

  it('shows at least 15 pets on a small laptop, and can be filtered with one click or the arrow keys', async () => {
    const { page, complaints } = await tills.open(openShopOf(40), {
      viewport: { width: 1366, height: 768 },
    });
    await page.getByText('Pet 39').waitFor();
    const boxes = await Promise.all((await rows(page).all()).map((row) => row.boundingBox()));
    expect(boxes.filter((box) => box!.y >= 0 && box!.y + box!.height <= 768).length).toBeGreaterThanOrEqual(
      15,
    );
    expect(boxes[0]!.height).toBeLessThanOrEqual(41);
    // A laptop at 200 %, and the one row of controls of a tablet.
    await page.setViewportSize({ width: 640, height: 400 });
    const third = (await rows(page).nth(2).boundingBox())!;
    expect(third.y + third.height).toBeLessThanOrEqual(400);
    await page.setViewportSize({ width: 768, height: 1024 });
    const controls = page.locator('.find > *').filter({ visible: true });
    const tops = await controls.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([3, 1]);
    await page.setViewportSize({ width: 1366, height: 768 });
    // The column headers stay in view.
    await rows(page).nth(35).scrollIntoViewIfNeeded();
    for (const name of ['Name', 'Status', 'Category', 'Id'])
      await page.getByRole('columnheader', { name }).click({ trial: true });
    const [headers, find] = [
      await page.locator('.columns').boundingBox(),
      await page.locator('.find').boundingBox(),
    ];
    expect(find!.y).toBe(0);
    expect(Math.abs(headers!.y - find!.height)).toBeLessThan(2);
    await page.locator('.choice.sold').click();
    await page.getByText('13 sold pets').waitFor();
    expect(await page.locator('.row .status').allTextContents()).toEqual(Array(13).fill('Sold'));
    await page.keyboard.press('ArrowLeft');
    await page.locator('.row .status.pending').first().waitFor();
    expect(await page.getByRole('radio', { name: 'Pending' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('says when it is empty and what to do', async () => {
    const { page, findBarriers } = await tills.open(openListeningService(), phone);
    await page.getByText('No pets yet').waitFor();
    await page.getByText('It has no prices, no stock and no customers.').waitFor();
    await page.getByText('petstore import pets.csv').waitFor();
    await page.getByText('petstore seed --count 100').waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Add your first pet' }).click();
    await add(page, 'First', '1');
    await rows(page).getByText('First').waitFor();
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByText('No sold pets').waitFor();
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await rows(page).getByText('First').waitFor();
  });

  it('does not shift the layout while it loads, and passes axe', async () => {
    const { page, findBarriers } = await tills.open(openShopOf(60));
    // Without user input after the reload, every shift counts.
    await page.reload();
    await page.getByText('Pet 59').waitFor();
    const shift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => setTimeout(() => resolve(sum)));
    })`);
    expect(shift).toBeLessThan(0.02);
    await page.route('**/v1/**', () => {});
    await page.reload();
    await page.getByText('Loading pets…').waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
  });
});
