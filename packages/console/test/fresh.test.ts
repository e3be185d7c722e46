import { describe, expect, it } from 'bun:test';
import type { LogFields } from '../../../src/domain/log.ts';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { addPets, openConsole, rows } from '../../../test/support/browser/console.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';
import { silentLog } from '../../../test/support/http/service.ts';

const chromium = browserOfFile();

describe('the list', () => {
  it('shows what others add, change and remove', async () => {
    const pets = Array.from({ length: 250 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    await page.getByText('Pet 250').waitFor();
    await service.client.createPet({ name: 'From the other till', categoryId: 1n, status: 'sold' });
    const row = rows(page).filter({ hasText: 'From the other till' });
    await row.getByText('New', { exact: true }).waitFor();
    expect(await rows(page).first().textContent()).toContain('From the other till');
    service.putPet(249n, { name: 'Renamed', categoryId: 2n, status: 'pending' });
    await rows(page).filter({ hasText: 'Renamed' }).getByText('Pending').waitFor();
    service.removePet(250n);
    await page.getByText('Pet 250').waitFor({ state: 'detached' });
    // The first page is asked for again as well, though it is not on the screen.
    service.removePet(1n);
    await page.getByRole('radio', { name: 'All 249' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('costs 304s while nothing changes', async () => {
    const statuses: LogFields[string][] = [];
    const log = {
      ...silentLog,
      info: (_: string, fields?: LogFields) => void statuses.push(fields?.['status']),
    };
    await using service = await openListeningService({ log, logEveryRequest: true });
    await addPets(service, 150);
    await using visited = await openConsole(chromium.browser, service);
    await visited.page.getByText('All 150 pets').waitFor();
    statuses.length = 0;
    while (statuses.length < 4) await Bun.sleep(50);
    expect(new Set(statuses)).toEqual(new Set([304]));
  });

  it('asks for nothing while it is hidden, and at once when it is seen again', async () => {
    await using service = await openListeningService();
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByText('No pets yet').waitFor();
    const setVisibility = (state: string) =>
      page.evaluate(`{
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }`);
    await setVisibility('hidden');
    await page.waitForTimeout(300);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await service.client.createPet({ name: 'Unseen', categoryId: 1n });
    await page.waitForTimeout(5000);
    expect(requests).toEqual([]);
    await setVisibility('visible');
    await rows(page).getByText('Unseen').waitFor({ timeout: 3000 });
  });

  it('keeps the rows under the pointer in place when others appear above', async () => {
    await using service = await openListeningService();
    await addPets(service, 90);
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.getByText('Pet 89').waitFor();
    const row = rows(page).filter({ hasText: 'Pet 80' });
    await row.hover();
    const before = await row.boundingBox();
    await service.client.createPet({ name: 'Pushing', categoryId: 1n });
    // Somebody is about to press something.
    const isHere = () => page.getByRole('radio', { name: 'All 91' }).isVisible();
    for (let step = 0; !(await isHere()); step++) await page.mouse.move(300 + (step % 9), before!.y + 9);
    expect(await row.boundingBox()).toEqual(before);
    // Nobody is at work in the list any more: it shows the newest.
    await page.mouse.move(5, 5);
    await page.evaluate('scrollTo(0, 0)');
    await page.waitForTimeout(4500);
    await service.client.createPet({ name: 'On top', categoryId: 1n });
    await page.getByRole('radio', { name: 'All 92' }).waitFor();
    expect(await rows(page).first().textContent()).toContain('On top');
    expect(await page.evaluate<number>('scrollY')).toBe(0);
  });
});
