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

const tills = useTills();

const namesIn = async (service: ListeningService): Promise<string[]> =>
  (await Array.fromAsync(service.client.pets())).map(({ name }) => name);

const removedRow = (page: Page, name: string) => rowOf(page, name).filter({ hasText: 'Removed' });

/** Resolves once these pets are left. A wrong result ends in the time limit of the test. */
async function untilLeft(service: ListeningService, ...names: string[]): Promise<void> {
  while ((await namesIn(service)).join() !== names.join()) await Bun.sleep(20);
}

describe('removing a pet', () => {
  it('asks first, and greys the pet in place', async () => {
    const { page, complaints, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    await rowOf(page, 'Mia').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Mia (2) is sold.').waitFor();
    await page.keyboard.press('Delete');
    expect(await namesIn(service)).toEqual(['Rex', 'Mia', 'Balu']);
    await page.keyboard.press('Delete');
    await noteOf(page, 'Removed Mia (2).').waitFor();
    await removedRow(page, 'Mia').waitFor();
    expect(await focusedRow(page)).toBe('Mia');
    expect(await namesIn(service)).toEqual(['Rex', 'Balu']);
    await page.keyboard.press('u');
    await noteOf(page, 'There is nothing to undo.').waitFor();
    await (await openDetails(page, 'Rex')).getByRole('button', { name: 'Remove' }).click();
    await removedRow(page, 'Rex').waitFor();
    await untilLeft(service, 'Balu');
    expect(questions).toEqual(['Mia', 'Mia', 'Rex'].map((name) => expect.stringContaining(`\u2068${name}`)));
    expect(complaints).toEqual([]);
  });

  it('leaves a pet that somebody else has changed in the meantime', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'));
    page.on('dialog', (dialog) => dialog.accept());
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

  it('says so when the service cannot be reached, and can be repeated', async () => {
    const { page, findBarriers, service } = await tills.open(openShop('Rex', 'Mia'));
    page.on('dialog', (dialog) => dialog.accept());
    await rowOf(page, 'Rex').focus();
    await service.goAway();
    await page.keyboard.press('Delete');
    const note = noteOf(page, 'Rex (1) may not have been removed. The service cannot be reached.');
    await note.waitFor();
    await rowOf(page, 'Rex').getByText('Not saved').waitFor();
    expect(await findBarriers()).toEqual([]);
    service.comeBack();
    // The reason goes as soon as the service is back.
    await noteOf(page, 'Rex (1) may not have been removed.')
      .getByRole('button', { name: 'Try again' })
      .click();
    await untilLeft(service, 'Mia');
  });
});
