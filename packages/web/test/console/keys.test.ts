import { describe, expect, it } from 'bun:test';
import { useBrowser } from '../../../../test/support/browser/use-browser.ts';
import { add, createKey, signIn } from '../../../../test/support/browser/console.ts';
import { noteOf, openShop, rowOf } from '../../../../test/support/browser/shop.ts';
import { visit } from '../../../../test/support/browser/visit.ts';

const chromium = useBrowser();
const dayMs = 24 * 3600_000;

describe('the console with a read-only key', () => {
  it('shows no Add, Sell or Edit, says so in a line, and explains why a shortcut does nothing', async () => {
    await using service = await openShop('Rex');
    await service.client.putCategory(7n, 'Dogs');
    const { text } = await createKey(service, 'viewer', { isReadOnly: true });
    await using visited = await visit(chromium.browser, service.url);
    const { page, complaints } = visited;
    const changing = page.getByRole('button', { name: /^(Add|Sell|Save|Remove|Sold|Pending)/ });
    const arrived = Promise.withResolvers<() => void>();
    await page.route('**/v1/key', (route) => arrived.resolve(() => void route.continue()));
    await page.getByLabel('API key').fill(text);
    await page.keyboard.press('Enter');
    await rowOf(page, 'Rex').waitFor();
    // Not even before the service has told what the key may do.
    const proceed = await arrived.promise;
    expect(await changing.count()).toBe(0);
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('s');
    await noteOf(page, 'Still signing in. Nothing was done; try again.').waitFor();
    proceed();
    await page.getByText('Signed in as viewer').waitFor();
    await page.getByRole('button', { name: 'Details of Rex' }).click();
    await page.getByRole('region', { name: 'Rex' }).waitFor();
    expect(await changing.count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('.key-notice').getByText('This key can only read.').waitFor();
    for (const key of ['s', 'p', 'n', 'u', 'Delete']) {
      await page.locator('.note').evaluateAll((notes) => notes.forEach((note) => note.remove()));
      await page.keyboard.press(key);
      await noteOf(page, 'This key can only read. Nothing was done.').waitFor();
    }
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Rex', status: 'available' });
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Categories' }).click();
    await page.getByRole('button', { name: 'Show pets in Dogs' }).waitFor();
    expect(await page.locator('.categories').getByRole('button').count()).toBe(1);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await visited.findBarriers()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows the message of the API wherever it is refused', async () => {
    await using service = await openShop('Rex');
    const { text } = await createKey(service, 'viewer', { isReadOnly: true });
    const refused = await service.callAs(`Bearer ${text}`, '/v1/pets/1', { method: 'DELETE' });
    const { message } = (await refused.json()) as { message: string };
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    // A console that does not know that the key may only read.
    await page.route('**/v1/key', (route) =>
      route.fulfill({ json: { name: 'viewer', readOnly: false, mayDelete: true } }),
    );
    await signIn(page, text);
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, `Rex (1) was not sold. ${message}`).waitFor();
    await add(page, 'Mia', '7');
    await noteOf(page, `\u2068Mia\u2069 is not added yet. ${message}`).waitFor();
  });
});

describe('the console', () => {
  it('does not send with another key what one key has left, unless it is told to', async () => {
    await using service = await openShop('Rex');
    const [anna, berta] = [await createKey(service, 'anna'), await createKey(service, 'berta')];
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    await signIn(page, anna.text);
    // The pet is added, and the response is lost.
    let isAdded = false;
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      if (!isAdded) await route.fetch();
      isAdded = true;
      await route.abort();
    });
    await add(page, 'Late', '1');
    await noteOf(page, 'is not added yet').waitFor();
    await service.keys.revokeKey(anna.id, new Date());
    await page.getByText('your key is no longer accepted').waitFor();
    await page.unroute('**/v1/pets');
    await signIn(page, berta.text);
    await noteOf(page, 'may have been added with another key').waitFor();
    expect((await service.client.listPets()).pets.map(({ name }) => name)).toEqual(['Rex', 'Late']);
  });

  it('says that its key expires within a week, in English whatever the language of the browser is', async () => {
    await using service = await openShop('Rex');
    await service.client.updatePet(1n, { status: 'sold' });
    const expiresAt = new Date(Date.now() + 6 * dayMs);
    const { text } = await createKey(service, 'till-2', { expiresAt });
    await using visited = await visit(chromium.browser, service.url, { locale: 'de-DE' });
    const { page } = visited;
    await signIn(page, text);
    const time = expiresAt.toLocaleString('en', { dateStyle: 'full', timeStyle: 'short' });
    await page.getByText(`Your key expires on ${time}.`).waitFor();
    expect(await visited.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Change Rex' }).click();
    await page.getByText(/^Sold by API_KEYS, [A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M$/).waitFor();
    await page.getByRole('link', { name: 'Sales' }).click();
    const day = new Date().toLocaleDateString('en', { weekday: 'long', month: 'long', day: 'numeric' });
    await page.getByRole('heading', { level: 1, name: day }).waitFor();
    await page
      .locator('.sale time')
      .getByText(/^\d+:\d\d\s[AP]M$/)
      .waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const later = await createKey(service, 'till-3', { expiresAt: new Date(Date.now() + 30 * dayMs) });
    await signIn(page, later.text);
    await page.getByText('Signed in as till-3').waitFor();
    expect(await page.getByText('Your key expires on').count()).toBe(0);
  });
});
