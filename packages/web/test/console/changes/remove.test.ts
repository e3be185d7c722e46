import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import type { ListeningService } from '../../../../../test/support/http/listening.ts';
import {
  deafen,
  drawn,
  erased,
  focusedRow,
  noteOf,
  openDetails,
  openShop,
  rowOf,
  stopClock,
} from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

const namesIn = async (service: ListeningService): Promise<string[]> =>
  (await Array.fromAsync(service.client.pets())).map(({ name }) => name);

const removedRow = (page: Page, name: string) => rowOf(page, name).filter({ hasText: 'Removed' });

/** Resolves once these pets are left. A wrong result ends in the time limit of the test. */
async function untilLeft(service: ListeningService, ...names: string[]): Promise<void> {
  while ((await namesIn(service)).join() !== names.join()) await Bun.sleep(20);
}

describe('removing a pet', () => {
  it('greys the pet in place at once, and deletes it when it is too late to undo', async () => {
    const { page, complaints, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Mia').focus();
    await stopClock(page);
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Mia (2).').waitFor();
    await drawn(page, removedRow(page, 'Mia'));
    expect(await focusedRow(page)).toBe('Mia');
    // The store still has the pet.
    const refreshed = page.waitForResponse('**/v1/pets/search?*');
    await page.clock.runFor(8000);
    await refreshed;
    await page.clock.runFor(100);
    expect(await removedRow(page, 'Mia').count()).toBe(1);
    expect(await namesIn(service)).toEqual(['Rex', 'Mia', 'Balu']);
    await page.clock.runFor(2500);
    await untilLeft(service, 'Rex', 'Balu');
    expect(await noteOf(page, 'Removed Mia (2).').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('can be undone with the mouse and the keyboard', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    const deletes: string[] = [];
    page.on('request', (request) => request.method() === 'DELETE' && deletes.push(request.url()));
    await rowOf(page, 'Rex').waitFor();
    await stopClock(page);
    await (await openDetails(page, 'Rex')).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await drawn(page, page.locator('.row[data-id="1"]:focus'));
    await page.keyboard.press('Delete');
    await drawn(page, removedRow(page, 'Rex'));
    while (!(await page.locator('.note button:focus').count())) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await erased(page, removedRow(page, 'Rex'));
    await page.clock.fastForward(60_000);
    expect(await namesIn(service)).toEqual(['Rex', 'Mia']);
    expect(deletes).toEqual([]);
  });

  it('waits while somebody points at the note or has the focus in it', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').focus();
    await stopClock(page);
    await page.keyboard.press('Delete');
    const note = noteOf(page, 'Removed Rex (1).');
    await note.hover();
    await page.clock.fastForward(60_000);
    expect(await note.count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(10, 10);
    await page.clock.fastForward(60_000);
    expect(await note.count()).toBe(1);
    await rowOf(page, 'Mia').focus();
    await page.clock.fastForward(10_500);
    await untilLeft(service, 'Mia');
  });

  it('keeps an undo of its own for each of several pets', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const deletes: string[] = [];
    page.on('request', (request) => request.method() === 'DELETE' && deletes.push(request.url().slice(-2)));
    await rowOf(page, 'Balu').focus();
    await stopClock(page);
    for (const name of ['Balu', 'Mia', 'Rex']) {
      await page.keyboard.press('Delete');
      await noteOf(page, `Removed ${name} (`).waitFor();
      await drawn(page, removedRow(page, name));
      await page.keyboard.press('ArrowDown');
    }
    await page.getByRole('button', { name: '2 more' }).click();
    await page.clock.runFor(50);
    await noteOf(page, 'Removed Mia (2).').getByRole('button', { name: 'Undo' }).click();
    await erased(page, removedRow(page, 'Mia'));
    await page.mouse.move(10, 10);
    await page.clock.runFor(11_000);
    await untilLeft(service, 'Mia');
    expect(deletes).toEqual(['/3', '/1']);
  });

  it('completes when the tab is closed, with a request that outlives the tab', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await page.addInitScript(`{
      const { fetch } = window;
      window.kept = [];
      window.fetch = (url, init) => {
        if (init.keepalive) kept.push(init.method);
        return fetch(url, init);
      };
    }`);
    await page.reload();
    await page.getByText('Signed in as').waitFor();
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Rex (1).').waitFor();
    await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
    expect(await page.evaluate<string[]>('kept')).toEqual(['DELETE']);
    await untilLeft(service, 'Mia');
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Mia (2).').waitFor();
    await page.close({ runBeforeUnload: true });
    await untilLeft(service);
  });

  it('completes when the person signs out or goes to another page', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Rex (1).').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await untilLeft(service, 'Mia', 'Balu');
    await page.goBack();
    await page.getByText('Signed in as').waitFor();
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Mia (2).').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await untilLeft(service, 'Balu');
  });

  it('leaves a pet that somebody else has sold in the meantime', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').focus();
    await stopClock(page);
    const isRead = page.waitForResponse('**/v1/pets/1');
    await page.keyboard.press('Delete');
    await isRead;
    await service.client.updatePet(1n, { status: 'sold' });
    await page.clock.runFor(10_500);
    await noteOf(page, 'Somebody else has sold Rex (1) in the meantime.').waitFor();
    await page.clock.resume();
    await rowOf(page, 'Rex').waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await namesIn(service)).toEqual(['Rex', 'Mia']);
    await page.getByRole('button', { name: 'Remove it anyway' }).click();
    await untilLeft(service, 'Mia');
    await removedRow(page, 'Rex').waitFor();
  });

  it('reports that the list was out of date', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').waitFor();
    await deafen(page);
    await service.client.updatePet(1n, { status: 'pending' });
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Somebody else has made Rex (1) pending in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Leave it as it is' }).click();
    await rowOf(page, 'Rex').getByText('Pending').waitFor();
  });

  it('shows the pet again when the service cannot be reached, and can be repeated', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').focus();
    await stopClock(page);
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Rex (1).').waitFor();
    await service.goAway();
    await page.clock.fastForward(10_500);
    await page.clock.resume();
    const note = noteOf(page, 'Rex (1) may not have been removed. The service cannot be reached.');
    await note.waitFor();
    await rowOf(page, 'Rex').getByText('Not saved').waitFor();
    expect(await findBarriers()).toEqual([]);
    service.comeBack();
    await note.getByRole('button', { name: 'Try again' }).click();
    await untilLeft(service, 'Mia');
  });
});
