import { describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import type { ListeningService } from '../../../../../test/support/http/listening.ts';
import {
  deafen,
  focusedRow,
  noteOf,
  openDetails,
  openShop,
  rowOf,
} from '../../../../../test/support/browser/shop.ts';
import { hold } from '../helpers.ts';

const tills = useTills();

const namesIn = async (service: ListeningService): Promise<string[]> =>
  (await Array.fromAsync(service.client.pets())).map(({ name }) => name);

const removedRow = (page: Page, name: string) => rowOf(page, name).filter({ hasText: 'Removed' });

/** Resolves once these pets are left. A wrong result ends in the time limit of the test. */
async function untilLeft(service: ListeningService, ...names: string[]): Promise<void> {
  while ((await namesIn(service)).join() !== names.join()) await Bun.sleep(20);
}

describe('removing a pet', () => {
  it('waits ten seconds in which u takes it back, and then says that it cannot be', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Mia (2) is sold.').waitFor();
    await page.clock.install();
    await page.keyboard.press('Delete');
    await page.locator('.row.is-struck').getByText('Removing…').waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press('s');
    await noteOf(page, 'Mia (2) is about to be removed. Undo that first').waitFor();
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Mia (2) stays.').waitFor();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Mia (2) is about to be removed.').waitFor();
    expect(await namesIn(service)).toEqual(['Rex', 'Mia', 'Balu']);
    await page.clock.fastForward(10_000);
    await noteOf(page, 'Removed Mia (2).').waitFor();
    await removedRow(page, 'Mia').waitFor();
    expect([await focusedRow(page), await namesIn(service)]).toEqual(['Mia', ['Rex', 'Balu']]);
    // The sale before it is not undone instead.
    await page.keyboard.press('u');
    await noteOf(page, 'Mia (2) was removed. That cannot be taken back.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is sent when the page is left, and told when it is open again', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const read = page.waitForResponse('**/v1/pets/1');
    await (await openDetails(page, 'Rex')).getByRole('button', { name: 'Remove' }).click();
    await (await read).finished();
    await untilHandled(page);
    await page.goto('about:blank');
    await untilLeft(service, 'Mia', 'Balu');
    await page.goto(service.url);
    await noteOf(page, 'Removed Rex (1).').waitFor();
    await rowOf(page, 'Mia').focus();
    const readAgain = page.waitForResponse('**/v1/pets/2');
    await page.keyboard.press('Delete');
    await (await readAgain).finished();
    await untilHandled(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await untilLeft(service, 'Balu');
  });

  it('is not told as news when its event comes before its response', async () => {
    const { page } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Rex').focus();
    const releaseEvents = await hold(page, '**/v1/events*');
    const heldEvents = page.waitForRequest('**/v1/events*');
    await page.keyboard.press('s');
    await heldEvents;
    // Whether the list still shows a pet that was sold here is asked with the next events.
    await rowOf(page, 'Balu').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Balu (3) is sold.').waitFor();
    await rowOf(page, 'Mia').focus();
    await page.clock.install();
    const read = page.waitForResponse('**/v1/pets/2');
    await page.keyboard.press('Delete');
    await (await read).finished();
    await page.route('**/v1/pets/2', async (route) => {
      const response = await route.fetch();
      releaseEvents();
      await removedRow(page, 'Mia').waitFor();
      await route.fulfill({ response });
    });
    const releaseSearches = await hold(page, '**/v1/pets/search*');
    // What follows a change of the screen waits for the clock, too.
    await page.clock.pauseAt(Date.now() + 60_000);
    const removed = noteOf(page, 'Removed Mia (2).');
    await removed.waitFor({ state: 'attached' });
    await page.clock.resume();
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200)))`);
    expect(await page.getByText('was removed by').count()).toBe(0);
    expect(await removed.isVisible()).toBe(true);
    // Nor once the list has asked for the pet, which is gone.
    const asked = page.waitForResponse('**/v1/pets/search?id=2**');
    releaseSearches();
    await (await asked).finished();
    await untilHandled(page);
    await rowOf(page, 'Mia').click();
    await rowOf(page, 'Rex').click();
    expect(await page.getByText('was removed by').count()).toBe(0);
  });

  it('leaves a pet that somebody else has changed in the meantime', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').waitFor();
    await deafen(page);
    await service.client.updatePet(1n, { status: 'pending' });
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Delete');
    await noteOf(page, 'Somebody else has made Rex (1) pending in the meantime.').waitFor();
    await rowOf(page, 'Rex').getByText('Pending').waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await namesIn(service)).toEqual(['Rex', 'Mia']);
    await page.getByRole('button', { name: 'Remove it anyway' }).click();
    await untilLeft(service, 'Mia');
    await removedRow(page, 'Rex').waitFor();
  });
});

/** A page handles responses in the order of their arrival: once it has another one, it has those before. */
async function untilHandled(page: Page): Promise<void> {
  await page.evaluate(async () => void (await (await fetch('/livez')).text()));
}
