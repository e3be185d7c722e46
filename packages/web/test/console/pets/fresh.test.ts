import { describe, expect, it } from 'bun:test';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import { rows, showNews } from '../../../../../test/support/browser/console.ts';
import { openShop, rowOf } from '../../../../../test/support/browser/shop.ts';
import { openServiceOnFile } from '../../../../../test/support/http/service-on-file.ts';

const tills = useTills();

describe('the list', () => {
  it('shows in place what others change and remove, and announces what they add', async () => {
    const pets = Array.from({ length: 250 }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId: 1n }));
    const { page, complaints, service } = await tills.open(openServiceOnFile(pets));
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
    // Rows further down are kept fresh too.
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    while ((await row(1).count()) === 0) await page.keyboard.press('PageDown');
    await row(2).scrollIntoViewIfNeeded();
    await service.client.updatePet(2n, { name: 'Far away' });
    await row(2).getByText('Far away').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows a sale at another till with one request at a time, which ends while nobody can see the list', async () => {
    const { page, complaints, service } = await tills.open(openShop('Rex', 'Mia'));
    await rowOf(page, 'Rex').waitFor();
    const paths: string[] = [];
    let underWay = 0;
    page.on('request', (request) => {
      paths.push(new URL(request.url()).pathname);
      underWay += 1;
    });
    const onEnd = () => (underWay = Math.max(0, underWay - 1));
    let mostUnderWay = 0;
    page.on('request', () => (mostUnderWay = Math.max(mostUnderWay, underWay)));
    page.on('requestfinished', onEnd);
    page.on('requestfailed', onEnd);
    await service.client.updatePet(1n, { status: 'sold' });
    await rowOf(page, 'Rex').getByText('Sold').waitFor();
    await service.client.deletePet(2n);
    await rowOf(page, 'Mia').getByText('Removed').waitFor();
    expect(new Set(paths)).toEqual(new Set(['/v1/events']));
    expect(mostUnderWay).toBe(1);
    const setVisibility = (state: string) =>
      page.evaluate(`{
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }`);
    await setVisibility('hidden');
    await page.waitForTimeout(300);
    paths.length = 0;
    await service.client.createPet({ name: 'Unseen', categoryId: 1n });
    await service.client.updatePet(1n, { status: 'pending' });
    // A request that waited would have been served at once, and the next one sent.
    await page.waitForTimeout(1000);
    expect(paths).toEqual([]);
    await setVisibility('visible');
    await rowOf(page, 'Rex').getByText('Pending').waitFor();
    await page.getByText('1 new pet').waitFor();
    expect(new Set(paths)).toEqual(new Set(['/v1/events']));
    expect(complaints).toEqual([]);
  });
});
