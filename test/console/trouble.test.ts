import { describe, expect, it, setDefaultTimeout } from 'bun:test';
import { generateKey, hashKey } from '../../src/api-key.ts';
import { openListeningService } from '../support/http/listening.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { add, openShop, rows, signIn, stock } from '../support/browser/shop.ts';
import { visit } from '../support/browser/visit.ts';

setDefaultTimeout(60_000);
const chromium = browserOfFile();

describe('trouble', () => {
  it('is said, and goes by itself when the service comes back', async () => {
    await using service = await openListeningService();
    await stock(service, 3);
    await using visited = await openShop(chromium.browser, service);
    const { page, complaints } = visited;
    await page.getByText('That is all: 3 pets.').waitFor();
    await service.goAway();
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    expect(await rows(page).count()).toBe(0);
    expect(await visited.findBarriers()).toEqual([]);
    service.comeBack();
    await page.getByText('One pet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps what is shown when the next page does not come', async () => {
    await using service = await openListeningService();
    await stock(service, 60);
    await using visited = await openShop(chromium.browser, service, {
      viewport: { width: 1200, height: 300 },
    });
    const { page } = visited;
    await rows(page).nth(49).waitFor({ state: 'attached' });
    await service.goAway();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    expect(await rows(page).count()).toBe(50);
    service.comeBack();
    await page.getByText('That is all: 60 pets.').waitFor();
  });

  it('with the network of the device is told apart', async () => {
    await using service = await openListeningService();
    await using visited = await openShop(chromium.browser, service);
    const { page } = visited;
    await page.context().setOffline(true);
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('No pet is sold').waitFor();
  });

  it('with a key that was revoked meanwhile leads to signing in', async () => {
    await using service = await openListeningService();
    const text = generateKey((count) => crypto.getRandomValues(new Uint8Array(count)));
    const key = await service.keys.createKey({
      name: 'till',
      hash: hashKey(text),
      lastFour: text.slice(-4),
      createdAt: new Date(),
    });
    await using visited = await visit(chromium.browser, service.url);
    const { page, complaints } = visited;
    await signIn(page, text);
    // Otherwise the first list may be the one that is refused.
    await page.getByText('No pets yet').waitFor();
    await service.keys.revokeKey(key.id, new Date());
    await add(page, 'Late', '1');
    await page.getByText('Your key is no longer accepted').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    expect(await visited.findBarriers()).toEqual([]);
    await signIn(page, service.apiKey);
    await page.getByText('No pets yet').waitFor();
    expect(complaints).toEqual([]);
  });

  it('on the side of the service is told with a request id', async () => {
    await using service = await openListeningService();
    await using visited = await openShop(chromium.browser, service);
    const { page } = visited;
    await page.route('**/v1/pets*', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'X-Request-Id': 'shown-to-people' },
        json: { code: 'internal', message: 'No.', status: 500 },
      }),
    );
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await page.getByText('shown-to-people').waitFor();
    await page.unroute('**/v1/pets*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No pet is sold').waitFor();
  });
});
