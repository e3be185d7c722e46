import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { add, createKey, rows, signIn } from '../../../../test/support/browser/console.ts';
import { visit } from '../../../../test/support/browser/visit.ts';
import { noteOf, openShopOf } from '../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('the console', () => {
  it('keeps its pets while the service is away, shows none of another search, and recovers without a reload', async () => {
    const { page, complaints, findBarriers, service } = await tills.open(openShopOf(3));
    await page.getByText('3 pets', { exact: true }).waitFor();
    await service.goAway();
    const line = page.getByText('The service cannot be reached. These are the pets as of');
    await line.waitFor();
    expect(await rows(page).count()).toBe(3);
    expect(await findBarriers()).toEqual([]);
    await page.getByRole('searchbox').fill('pet 1');
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await page.getByText('It may be restarting. Retrying automatically.').waitFor();
    expect(await rows(page).count()).toBe(0);
    service.comeBack();
    await page.getByText('1 pet matching “pet 1”').waitFor();
    await service.client.createPet({ name: 'Pet 1 later', categoryId: 1n, status: 'sold' });
    await page.getByText('1 new pet').waitFor();
    expect(await line.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('asks for another key when the key was revoked, says what became of a change, and keeps what was typed', async () => {
    await using service = await openListeningService();
    const { text, id } = await createKey(service, 'till-2');
    await using visited = await visit(tills.browser, service.url);
    const { page, complaints } = visited;
    await signIn(page, text);
    await page.getByText('Signed in as till-2').waitFor();
    await service.keys.revokeKey(id, new Date());
    await add(page, 'Late', '1');
    const notice = page.getByRole('alert').filter({ hasText: 'your key is no longer accepted.' });
    await notice.getByText('Late\u2069 is not added yet.').waitFor();
    await page.getByText('petstore keys create').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain(text);
    expect(await visited.findBarriers()).toEqual([]);
    expect(await page.title()).toBe('Sign in · Petstore');
    await signIn(page, service.apiKey);
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

  it('reports a service that fails from the start, with the request id, and loads the pets once it works', async () => {
    const { page, findBarriers } = await tills.open(openShopOf(3));
    await page.getByText('3 pets', { exact: true }).waitFor();
    await page.route('**/v1/events?*', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'X-Request-Id': 'shown-to-people' },
        json: { code: 'internal', message: 'No.', status: 500 },
      }),
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await page.getByText('shown-to-people').waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.unroute('**/v1/events?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3 pets', { exact: true }).waitFor();
  });
});
