import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../support/http/listening.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { add, addPets, desktop, openConsole, overflowing, phone, rows } from '../support/browser/console.ts';

const chromium = browserOfFile();

describe('the list', () => {
  it('shows every digit and every character', async () => {
    await using service = await openListeningService();
    const name = 'Sir <b>Barks</b> & “Co” ' + 'x'.repeat(300);
    await service.client.createPet({ name, categoryId: 2n ** 63n - 1n, status: 'sold' });
    await service.client.createPet({ name: '', categoryId: -(2n ** 63n) });
    for (const size of [desktop, phone]) {
      await using visited = await openConsole(chromium.browser, service, size);
      const { page } = visited;
      await page.getByText(name, { exact: true }).waitFor();
      const text = await rows(page).allTextContents();
      expect(text[0]).toContain('9223372036854775807');
      expect(text[0]).toContain('Sold');
      expect(text[1]).toContain('-9223372036854775808');
      expect(text[1]).toContain('No name');
      expect(text[1]).toContain('No status');
      expect(await overflowing(page)).toEqual([]);
    }
  });

  it('can be filtered with one click or the arrow keys', async () => {
    await using service = await openListeningService();
    await addPets(service, 9);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await page.getByText('All 9 pets').waitFor();
    await page.locator('.choice.sold').click();
    await page.getByText('All 3 pets').waitFor();
    expect(await page.locator('.row .status').allTextContents()).toEqual(Array(3).fill('Status Sold'));
    await page.keyboard.press('ArrowLeft');
    await page.locator('.row .status.pending').first().waitFor();
    expect(await page.getByRole('radio', { name: 'Pending' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('loads more pets on scrolling until all are shown', async () => {
    await using service = await openListeningService();
    await addPets(service, 120);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await rows(page).nth(49).waitFor({ state: 'attached' });
    while (!(await page.getByText('All 120 pets').isVisible())) {
      await page.mouse.wheel(0, 2000);
      await page.waitForTimeout(30);
    }
    const ids = await page.locator('.row .id').allTextContents();
    expect(new Set(ids).size).toBe(120);
    expect(complaints).toEqual([]);
  });

  it('loads more pets when the button is pressed', async () => {
    await using service = await openListeningService();
    await addPets(service, 60);
    await using visited = await openConsole(chromium.browser, service, {
      viewport: { width: 1200, height: 300 },
    });
    const { page } = visited;
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await rows(page).nth(59).waitFor({ state: 'attached' });
  });

  it('says when it is empty and what to do', async () => {
    await using service = await openListeningService();
    await using visited = await openConsole(chromium.browser, service, phone);
    const { page } = visited;
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByText('No sold pets').waitFor();
    await page.getByRole('button', { name: 'Show all pets' }).click();
    await page.getByRole('button', { name: 'Add your first pet' }).click();
    await add(page, 'First', '1');
    await rows(page).getByText('First').waitFor();
    expect(await visited.findBarriers()).toEqual([]);
  });

  it('does not shift the layout while it loads', async () => {
    await using service = await openListeningService();
    await addPets(service, 60);
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    // Without user input after the reload, every shift counts.
    await page.reload();
    await rows(page).nth(49).waitFor({ state: 'attached' });
    const shift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => setTimeout(() => resolve(sum)));
    })`);
    expect(shift).toBeLessThan(0.02);
  });
});

describe('the console', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [screen, size] of Object.entries({ desktop, phone })) {
      it(`passes axe and cuts no text on a ${screen} in ${colorScheme} colours`, async () => {
        await using service = await openListeningService();
        await addPets(service, 6);
        await using visited = await openConsole(chromium.browser, service, { ...size, colorScheme });
        const { page, complaints } = visited;
        await page.getByText('All 6 pets').waitFor();
        if (screen === 'phone') await page.getByRole('button', { name: 'Add a pet' }).click();
        await add(page, 'New one', '7');
        await rows(page).getByText('New one').waitFor();
        expect(await visited.findBarriers()).toEqual([]);
        expect(await overflowing(page)).toEqual([]);
        expect(complaints).toEqual([]);
      });
    }
  }
});
