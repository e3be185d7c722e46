import { describe, expect, it } from 'bun:test';
import type { LogFields } from '../../../src/system/log.ts';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import { addPets, openConsole, rows, showNews } from '../../../test/support/browser/console.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { openServiceOnFile } from '../../../test/support/http/service-on-file.ts';
import { silentLog } from '../../../test/support/http/service.ts';

const chromium = browserOfFile();

describe('the list', () => {
  it('shows what others change and remove in its place, and announces what they add', async () => {
    const pets = Array.from({ length: 250 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    await using service = await openServiceOnFile(pets);
    await using visited = await openConsole(chromium.browser, service);
    const { page, complaints } = visited;
    const row = (id: number) => page.locator(`.row[data-id="${id}"]`);
    await row(250).waitFor();
    await row(240).hover();
    const before = await row(240).boundingBox();
    for (const name of ['A', 'B', 'C']) await service.client.createPet({ name, categoryId: 1n });
    await service.client.updatePet(249n, { name: 'Renamed', status: 'pending' });
    await service.client.deletePet(250n);
    await page.getByText('3 new pets').waitFor();
    await row(249).getByText('Renamed').waitFor();
    await row(249).getByText('Pending').waitFor();
    await row(250).getByText('Removed').waitFor();
    expect(await rows(page).first().getAttribute('data-id')).toBe('250');
    expect(await row(240).boundingBox()).toEqual(before);
    await showNews(page);
    await row(253).getByText('New', { exact: true }).waitFor();
    expect(await row(250).count()).toBe(0);
    // Rows further down are kept fresh while they are on the screen.
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    while ((await row(1).count()) === 0) await page.keyboard.press('PageDown');
    await row(2).scrollIntoViewIfNeeded();
    await service.client.updatePet(2n, { name: 'Far away' });
    await row(2).getByText('Far away').waitFor();
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
    await visited.page.getByText('Pet 149').waitFor();
    await visited.page.getByText('Signed in as').waitFor();
    statuses.length = 0;
    while (statuses.length < 2) await Bun.sleep(50);
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
});
