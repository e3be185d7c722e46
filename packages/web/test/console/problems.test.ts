import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { add, createKey, rows, signIn } from '../../../../test/support/browser/console.ts';
import { visit } from '../../../../test/support/browser/visit.ts';
import { noteOf, openShopOf } from '../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('the console', () => {
  it('keeps its pets while the service is away and recovers without a reload', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShopOf(3));
    await page.getByText('3 pets', { exact: true }).waitFor();
    await service.goAway();
    const line = page.getByText('The service cannot be reached. These are the pets as of');
    await line.waitFor();
    expect(await rows(page).count()).toBe(3);
    expect(await findBarriers()).toEqual([]);
    service.comeBack();
    await service.client.createPet({ name: 'Later', categoryId: 1n, status: 'sold' });
    await page.getByText('1 new pet').waitFor();
    await line.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('reports a service that is away from the start, and loads the pets when it is back', async () => {
    const { page, findBarriers } = await tills.open(openShopOf(3));
    await page.getByText('3 pets', { exact: true }).waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await page.getByText('It may be restarting. Retrying automatically.').waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.unroute('**/v1/**');
    await page.getByText('3 pets', { exact: true }).waitFor();
  });

  it('asks for another key when the key was revoked, and keeps what was typed', async () => {
    await using service = await openListeningService();
    const { text, id } = await createKey(service, 'till-2');
    await using visited = await visit(tills.browser, service.url);
    const { page, complaints } = visited;
    await signIn(page, text);
    await page.getByText('Signed in as till-2').waitFor();
    await service.keys.revokeKey(id, new Date());
    await add(page, 'Late', '1');
    await page.getByText('your key is no longer accepted').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain(text);
    expect(await visited.findBarriers()).toEqual([]);
    expect(await page.title()).toBe('Sign in · Petstore');
    await signIn(page, service.apiKey);
    // Where the person was.
    await page.locator('#pet-name:focus').waitFor();
    expect(await page.title()).toBe('Pets · Petstore');
    await page.reload();
    await noteOf(page, 'Late').getByRole('button', { name: 'Edit' }).click();
    await page.locator('#pet-name:focus').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Late');
    expect(await page.getByLabel('Category', { exact: true }).inputValue()).toBe('1');
    await page.getByRole('button', { name: 'Add pet' }).click();
    await page.getByText('Late was added with id 1.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  it('shows the request id of an internal error', async () => {
    const { page, findBarriers } = await tills.open(openListeningService());
    await page.getByText('No pets yet').waitFor();
    await page.route('**/v1/events?*', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'X-Request-Id': 'shown-to-people' },
        json: { code: 'internal', message: 'No.', status: 500 },
      }),
    );
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await page.getByText('shown-to-people').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
    expect(await findBarriers()).toEqual([]);
    await page.unroute('**/v1/events?*');
    await page.getByText('No pets yet').waitFor();
  });
});
