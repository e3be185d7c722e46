import { describe, expect, it } from 'bun:test';
import { generateKey, hashKey } from '../../src/api-key.ts';
import { openListeningService } from '../support/http/listening.ts';
import { browserOfFile } from '../support/browser/browser-of-file.ts';
import { add, addPets, openConsole, rows, signIn } from '../support/browser/console.ts';
import { visit } from '../support/browser/visit.ts';

const chromium = browserOfFile();

describe('the console', () => {
  it('reports a lost service and recovers by itself when it is back', async () => {
    await using service = await openListeningService();
    await addPets(service, 3);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await page.getByText('All 3 pets').waitFor();
    await service.goAway();
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await page.getByText('It may be restarting. Retrying automatically.').waitFor();
    expect(await rows(page).count()).toBe(0);
    expect(await visited.findBarriers()).toEqual([]);
    service.comeBack();
    await page.getByText('1 pet').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps the list when the next page does not arrive', async () => {
    await using service = await openListeningService();
    await addPets(service, 60);
    await using visited = await openConsole(chromium.browser, service, {
      viewport: { width: 1200, height: 300 },
    });
    const { page } = visited;
    await rows(page).nth(49).waitFor({ state: 'attached' });
    await service.goAway();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    expect(await rows(page).count()).toBe(50);
    service.comeBack();
    await page.getByText('All 60 pets').waitFor();
  });

  it('says when the device itself is offline', async () => {
    await using service = await openListeningService();
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.context().setOffline(true);
    await page.getByRole('radio', { name: 'Sold' }).check();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('No sold pets').waitFor();
  });

  it('asks for another key when the key was revoked', async () => {
    await using service = await openListeningService();
    const text = generateKey((count) => crypto.getRandomValues(new Uint8Array(count)));
    const key = await service.keys.createKey({
      name: 'till',
      hash: hashKey(text),
      lastFour: text.slice(-4),
      isReadOnly: false,
      createdAt: new Date(),
    });
    await using visited = await visit(chromium.browser, service.url);
    const { page, complaints } = visited;
    await signIn(page, text);
    // Otherwise the first list could be refused.
    await page.getByText('No pets yet').waitFor();
    await service.keys.revokeKey(key.id, new Date());
    await add(page, 'Late', '1');
    await page.getByText('your key is no longer accepted').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    expect(await visited.findBarriers()).toEqual([]);
    await signIn(page, service.apiKey);
    await page.getByText('No pets yet').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the request id of an internal error', async () => {
    await using service = await openListeningService();
    await using visited = await openConsole(chromium.browser, service);
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
    await page.getByText('No sold pets').waitFor();
  });
});
