import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import {
  add,
  createKey,
  desktop,
  openConsole,
  overflowing,
  phone,
  signIn,
} from '../../../test/support/browser/console.ts';
import { deafen, noteOf, openShop, rowOf } from '../../../test/support/browser/shop.ts';
import { visit } from '../../../test/support/browser/visit.ts';

const chromium = browserOfFile();
const dayMs = 24 * 3600_000;

describe('a read-only key', () => {
  it('sees no Add, Sell or Edit', async () => {
    await using service = await openShop('Rex');
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
    proceed();
    await page.getByText('Signed in as viewer').waitFor();
    await page.getByRole('button', { name: 'Details of Rex' }).click();
    await page.getByRole('region', { name: 'Rex' }).waitFor();
    expect(await changing.count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    for (const key of ['s', 'p', 'n', 'Delete']) await page.keyboard.press(key);
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Rex', status: 'available' });
    expect(await page.locator('.note').count()).toBe(0);
    await service.client.updatePet(1n, { status: 'sold' });
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.locator('.sale').getByText('Sold').waitFor();
    expect(await page.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    expect(await visited.findBarriers()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('gets the message of the API wherever it is refused', async () => {
    await using service = await openShop('Rex');
    const { text } = await createKey(service, 'viewer', { isReadOnly: true });
    const refused = await service.callAs(`Bearer ${text}`, '/v1/pets/1', { method: 'DELETE' });
    const { message } = (await refused.json()) as { message: string };
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    // A console that does not know that the key may only read.
    await page.route('**/v1/key', (route) => route.fulfill({ json: { name: 'viewer', readOnly: false } }));
    await signIn(page, text);
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, `Rex was not changed. ${message}`).waitFor();
    await add(page, 'Mia', '7');
    await page.locator('.add-pet').getByRole('alert').getByText(message, { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mia');
  });
});

describe('a key', () => {
  it('says that it expires within a week', async () => {
    await using service = await openShop('Rex');
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    for (const [days, isTold] of [
      [6, true],
      [30, false],
    ] as const) {
      const expiresAt = new Date(Date.now() + days * dayMs);
      const { text } = await createKey(service, `till-${days}`, { expiresAt });
      await signIn(page, text);
      await page.getByText(`Signed in as till-${days}`).waitFor();
      expect(await page.getByText('Your key expires on').count()).toBe(isTold ? 1 : 0);
      expect(await visited.findBarriers()).toEqual([]);
      await page.getByRole('button', { name: 'Sign out' }).click();
    }
  });
});

describe('the sales', () => {
  it('tell who sold what and when, newest first, and lead to the pet and back', async () => {
    await using service = await openShop('Rex', 'Mia');
    const { text } = await createKey(service, 'till-2');
    await service.clientWith({ apiKey: text }).updatePet(1n, { status: 'sold' });
    await service.client.updatePet(2n, { status: 'pending' });
    const { orders } = await service.client.listOrders();
    const soldAt = new Date(orders[0]!.createdAt.getTime() - dayMs);
    for (const size of [desktop, phone]) {
      await using visited = await openConsole(chromium.browser, service, size);
      const { page, complaints } = visited;
      // Rex was sold the day before.
      await page.route('**/v1/store/orders?*', async (route) => {
        const response = await route.fetch();
        const json = (await response.json()) as { petId: number; createdAt: Date }[];
        for (const order of json) if (order.petId === 1) order.createdAt = soldAt;
        await route.fulfill({ response, json });
      });
      await page.getByRole('link', { name: 'Sales', exact: true }).click();
      const sales = page.locator('.sale');
      await sales.nth(1).waitFor();
      expect(await sales.nth(0).innerText()).toMatch(/Mia[^]*Pending[^]*API_KEYS/);
      expect(await sales.nth(1).innerText()).toMatch(/Rex[^]*Sold[^]*till-2/);
      const days = page.getByRole('heading', { level: 2 });
      const dayOf = (at: Date) => at.toLocaleDateString('en-US', { dateStyle: 'full' });
      expect(await days.allInnerTexts()).toEqual([dayOf(orders[1]!.createdAt), dayOf(soldAt)]);
      const time = await page
        .getByRole('region', { name: dayOf(soldAt) })
        .locator('.sale time')
        .innerText();
      expect(time).toBe(soldAt.toLocaleTimeString('en-US', { timeStyle: 'short' }));
      expect(await visited.findBarriers()).toEqual([]);
      expect(await overflowing(page)).toEqual([]);
      await page.reload();
      await page.getByRole('button', { name: 'Rex', exact: true }).click();
      await rowOf(page, 'Rex').waitFor();
      await rowOf(page, 'Mia').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Change Rex' }).click();
      await page.getByRole('link', { name: 'All sales of this pet' }).click();
      await page.getByText('Sales of pet 1').waitFor();
      await sales.first().waitFor();
      expect(await sales.count()).toBe(1);
      expect(complaints).toEqual([]);
    }
  });

  it('can be taken back unless somebody was faster', async () => {
    await using service = await openShop('Rex', 'Mia');
    for (const id of [1n, 2n]) await service.client.updatePet(id, { status: 'sold' });
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    await page.goto(`${service.url}/#/sales`);
    await page.getByRole('button', { name: 'Take back Rex' }).click();
    await noteOf(page, 'Rex is available.').waitFor();
    await page.getByRole('button', { name: 'Take back Rex' }).waitFor({ state: 'detached' });
    expect((await service.client.getPet(1n)).status).toBe('available');
    await deafen(page);
    await service.client.updatePet(2n, { name: 'Mio' });
    await page.getByRole('button', { name: 'Take back Mia' }).click();
    await noteOf(page, 'Somebody else has renamed Mia to Mio in the meantime.').waitFor();
    expect((await service.client.getPet(2n)).status).toBe('sold');
  });
});

describe('what somebody typed about a pet', () => {
  it('survives a revoked key and a reload', async () => {
    await using service = await openShop('Rex');
    const { text, id } = await createKey(service, 'till-2');
    await using visited = await visit(chromium.browser, service.url);
    const { page } = visited;
    await signIn(page, text);
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Enter');
    const name = page.getByRole('form', { name: 'Edit Rex' }).getByLabel('Name');
    await name.fill('Max');
    await service.keys.revokeKey(id, new Date());
    await name.press('Enter');
    await page.getByText('your key is no longer accepted').waitFor();
    await signIn(page, service.apiKey);
    await page.reload();
    await rowOf(page, 'Rex').focus();
    await page.keyboard.press('Enter');
    expect(await name.inputValue()).toBe('Max');
    await name.press('Enter');
    await noteOf(page, 'Saved Max.').waitFor();
    expect((await service.client.getPet(1n)).name).toBe('Max');
  });
});
