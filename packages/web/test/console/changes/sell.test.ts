import { describe, expect, it } from 'bun:test';
import type { PetStatus } from '../../../../client/src/index.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { openConsole, phone } from '../../../../../test/support/browser/console.ts';
import {
  drawn,
  focusedRow,
  noteOf,
  openDetails,
  openShop,
  rowOf,
  soldIn,
  statusOf,
  stopClock,
} from '../../../../../test/support/browser/shop.ts';
import { hold, settled } from '../helpers.ts';

const tills = useTills();

describe('selling', () => {
  it('takes one click, is shown once the service has confirmed it, writes one order, and can be undone', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShop('Rex'));
    const release = await hold(page, '**/v1/pets/1');
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await rowOf(page, 'Rex').getByText('Saving…').waitFor();
    await page.keyboard.press('s');
    expect(await statusOf(page, 'Rex')).toBe('Available');
    expect(await findBarriers()).toEqual([]);
    release();
    await noteOf(page, 'Rex (1) is sold.').waitFor();
    expect(await statusOf(page, 'Rex')).toBe('Sold');
    expect(await soldIn(service)).toEqual([1n]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await noteOf(page, 'Undone: Rex (1) is available again.').waitFor();
    expect((await service.client.getPet(1n)).status).toBe('available');
    expect(complaints).toEqual([]);
  });

  it('takes one key on the row that has the focus, and u undoes one step after the other', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Coco', 'Coco'));
    const statuses = async () => (await Array.fromAsync(service.client.pets())).map(({ status }) => status);
    await page.locator('.row[data-id="2"]').focus();
    await page.keyboard.press('p');
    await noteOf(page, 'Coco (2) is pending.').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('s');
    await noteOf(page, 'Coco (3) is sold.').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('s');
    await noteOf(page, 'Coco (2) is sold.').waitFor();
    await page.keyboard.press('s');
    await noteOf(page, 'Coco (2) is sold already.').waitFor();
    // A return can be taken back before it is sent.
    const row = page.locator('.row[data-id="2"]');
    expect(await row.getByRole('button').allInnerTexts()).toEqual(['•••']);
    await page.keyboard.press('a');
    await row.getByText('Returning…').waitFor();
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Coco (2) stays sold.').waitFor();
    expect(await statuses()).toEqual(['available', 'sold', 'sold']);
    for (const [undone, ...left] of [
      ['Coco (2) is pending again.', 'available', 'pending', 'sold'],
      ['Coco (3) is available again.', 'available', 'pending', 'available'],
      ['Coco (2) is available again.', 'available', 'available', 'available'],
    ]) {
      await page.keyboard.press('u');
      await noteOf(page, `Undone: ${undone}`).waitFor();
      expect(await statuses()).toEqual(left as PetStatus[]);
    }
    await page.keyboard.press('u');
    await noteOf(page, 'There is nothing to undo.').waitFor();
    expect(await focusedRow(page)).toBe('Coco');
  });

  it('happens once, and is not undone, when the same spot is clicked again after 0.15, 0.3 and 2 seconds', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const { x, y } = (await page.getByRole('button', { name: 'Sell Mia' }).boundingBox())!;
    const click = () => page.mouse.click(x + 5, y + 5);
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
    await stopClock(page);
    await Promise.all([page.waitForResponse('**/v1/pets/2'), click()]);
    await drawn(page, noteOf(page, 'Mia (2) is sold.'));
    for (const delayMs of [150, 300, 2000]) {
      await page.clock.runFor(delayMs);
      await click();
    }
    await page.clock.runFor(1000);
    expect(changes).toEqual([`${service.url}/v1/pets/2`]);
    expect(await soldIn(service)).toEqual([2n]);
  });

  it('leaves the sold pet in its place, greyed, until the list is loaded by hand', async () => {
    await using service = await openShop('Rex', 'Mia', 'Gone');
    await service.client.updatePet(3n, { status: 'sold' });
    await using visited = await openConsole(tills.browser, service);
    const { page } = visited;
    await rowOf(page, 'Gone').waitFor();
    await page.getByRole('radio', { name: 'Available' }).check();
    await rowOf(page, 'Gone').waitFor({ state: 'detached' });
    await settled(page);
    const before = await rowOf(page, 'Rex').boundingBox();
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Mia (2) is sold.').waitFor();
    await page.locator('.row.is-out').filter({ hasText: 'Mia' }).getByText('Sold').waitFor();
    await service.client.updatePet(1n, { name: 'Rex the second' });
    await rowOf(page, 'Rex the second').waitFor();
    expect(await rowOf(page, 'Rex').boundingBox()).toEqual(before);
    expect(await focusedRow(page)).toBe('Mia');
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('radio', { name: 'Pending' }).check();
    await rowOf(page, 'Rex').waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Available' }).check();
    await rowOf(page, 'Rex').waitFor();
    expect(await rowOf(page, 'Mia').count()).toBe(0);
  });
});

describe('the details of a pet', () => {
  it('set any status, or none, and u sets the one before', async () => {
    const { page, service } = await tills.open(openShop('Rex'));
    const details = await openDetails(page, 'Rex');
    for (const [item, text] of [
      ['Pending', 'is pending'],
      ['No status', 'has no status'],
    ] as const) {
      await details.getByRole('button', { name: item }).click();
      await noteOf(page, `Rex (1) ${text}.`).waitFor();
      expect(await details.getByRole('button', { name: item }).getAttribute('aria-pressed')).toBe('true');
    }
    await details.getByText('Pending by API_KEYS').waitFor();
    await details.getByRole('button', { name: 'Sell' }).click();
    await noteOf(page, 'Rex (1) is sold.').waitFor();
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Rex (1) has no status again.').waitFor();
    expect('status' in (await service.client.getPet(1n))).toBe(false);
  });

  it('open and close with the keyboard, keep the focus on a phone and in Sales, and what is told about a sale within reach', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'), phone);
    // After the last stop comes the browser itself.
    const isInside = () =>
      page.evaluate<boolean>(
        `document.activeElement === document.body || !!document.activeElement.closest('.details')`,
      );
    const tabAround = async () => {
      for (let presses = 0; presses < 20; presses++) {
        await page.keyboard.press('Tab');
        expect(await isInside()).toBe(true);
      }
    };
    const details = page.getByRole('dialog', { name: 'Rex' });
    await page.getByRole('button', { name: 'Change Rex' }).focus();
    await page.keyboard.press('Enter');
    await details.waitFor();
    await tabAround();
    await details.getByRole('button', { name: 'Sell' }).click();
    await details.getByText('Rex (1) is sold.').waitFor();
    expect(await findBarriers()).toEqual([]);
    await details.getByRole('button', { name: 'Undo' }).click();
    await details.getByText('Undone: Rex (1) is available again.').waitFor();
    await page.locator('.details .close:focus').waitFor();
    await page.keyboard.press('s');
    await details.getByText('Rex (1) is sold.').waitFor();
    await page.keyboard.press('u');
    await details.getByText('Undone: Rex (1) is available again.').waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    expect(await focusedRow(page)).toBe('Rex');
    await noteOf(page, 'Undone: Rex (1) is available again.').waitFor();
    await service.client.updatePet(2n, { status: 'sold' });
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.getByRole('link', { name: 'Sales' }).click();
    await openDetails(page, 'Mia');
    await tabAround();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.sale[data-pet="2"] button:focus').waitFor();
  });
});
