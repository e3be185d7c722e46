import { describe, expect, it } from 'bun:test';
import { createKey } from '../../../../../test/support/browser/console.ts';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import {
  calmDown,
  deafen,
  noteOf,
  openDetails,
  openShop,
  rowOf,
  soldIn,
} from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('two tills', () => {
  it('let the second one see what changed or is gone, and decide', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').waitFor();
    await deafen(page);
    const other = service.client;
    // What both wanted is no question.
    await other.updatePet(2n, { status: 'sold' });
    await page.getByRole('button', { name: 'Sell Mia' }).click();
    const told = noteOf(page, 'Somebody else has sold Mia (2) in the meantime.');
    await told.waitFor();
    expect(await told.getByRole('button').allInnerTexts()).toEqual(['OK']);
    await other.updatePet(1n, { name: 'Max', categoryId: 8n, status: 'sold' });
    const menu = await openDetails(page, 'Rex');
    await menu.getByRole('button', { name: 'Pending' }).click();
    const text =
      'Somebody else has sold Rex (1), renamed it to Max (1) and moved it to category 8 in the meantime.';
    await noteOf(page, text).waitFor();
    await rowOf(page, 'Max').getByText('Not saved').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Max', status: 'sold' });
    // Once more: what is done anyway must not overwrite a third change either.
    await other.updatePet(1n, { status: null });
    await page.getByRole('button', { name: 'Return it anyway' }).click();
    await calmDown(page);
    await noteOf(
      page,
      'Somebody else has returned Max (1) and taken the status of it away in the meantime.',
    ).waitFor();
    await page.getByRole('button', { name: 'Make it pending anyway' }).click();
    await noteOf(page, 'Max (1) is pending.').waitFor();
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Max', categoryId: 8n, status: 'pending' });
    await other.deletePet(1n);
    await page.getByRole('button', { name: 'Close details' }).click();
    await page.getByRole('button', { name: 'Sell Max' }).click();
    const gone = noteOf(page, 'Somebody else has removed Max (1) in the meantime.');
    await gone.waitFor();
    await rowOf(page, 'Max').getByText('Removed').waitFor();
    await gone.getByRole('button', { name: 'OK' }).click();
    await page.locator('.row:focus').waitFor();
  });
});

describe('a change during a failure', () => {
  it('is done once when only the response was lost, and is sent again by itself, over a reload, too', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await page.route('**/v1/pets/1', (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, 'Rex (1) is sold.').waitFor();
    // The sale of Mia does not arrive at all.
    await page.route('**/v1/pets/2', (route) => route.abort());
    await page.getByRole('button', { name: 'Sell Mia' }).click();
    await noteOf(page, 'Mia (2) may not have been sold.').waitFor();
    await page.reload();
    await noteOf(page, 'Mia (2) may not have been sold.').waitFor();
    await page.unroute('**/v1/pets/2');
    await noteOf(page, 'Mia (2) is sold.').waitFor();
    expect(await soldIn(service)).toEqual([1n, 2n]);
    await page.keyboard.press('u');
    await noteOf(page, 'Undone: Mia (2) is available again.').waitFor();
    // The sale of another till is not claimed.
    const { text } = await createKey(service, 'till-2');
    await page.route('**/v1/pets/3', (route) => route.abort());
    await page.getByRole('button', { name: 'Sell Balu' }).click();
    await noteOf(page, 'Balu (3) may not have been sold.').waitFor();
    await service.clientWith({ apiKey: text }).updatePet(3n, { status: 'sold' });
    await page.unroute('**/v1/pets/3');
    await noteOf(page, 'has sold Balu (3) in the meantime.').waitFor();
  });
});
