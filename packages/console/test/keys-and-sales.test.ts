import { describe, expect, it } from 'bun:test';
import { browserOfFile } from '../../../test/support/browser/browser-of-file.ts';
import {
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

describe('a read-only key', () => {
  it('sees no Add, Sell or Edit', async () => {
    await using service = await openShop('Rex');
    const { text } = await createKey(service, 'viewer', { isReadOnly: true });
    await using visited = await visit(chromium.browser, service.url);
    const { page, complaints } = visited;
    await signIn(page, text);
    await page.getByText('Signed in as viewer').waitFor();
    await page.getByRole('button', { name: 'Details of Rex' }).click();
    await page.getByRole('region', { name: 'Rex' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Add|Sell|Save|Remove|Sold|Pending)/ }).count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    for (const key of ['s', 'p', 'n', 'Delete']) await page.keyboard.press(key);
    expect(await service.client.getPet(1n)).toMatchObject({ name: 'Rex', status: 'available' });
    expect(await page.locator('.note').count()).toBe(0);
    expect(await visited.findBarriers()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('gets the message of the API where it is refused', async () => {
    await using service = await openShop('Rex');
    await using visited = await openConsole(chromium.browser, service);
    const { page } = visited;
    const message = 'This key may only read.';
    await page.route('**/v1/pets/1', (route) =>
      route.fulfill({ status: 403, json: { code: 'forbidden', message, status: 403 } }),
    );
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await noteOf(page, `Rex was not changed. ${message}`).waitFor();
  });
});

describe('a key', () => {
  it('says that it expires within a week', async () => {
    await using service = await openShop('Rex');
    const dayMs = 24 * 3600_000;
    for (const [days, isTold] of [
      [6, true],
      [30, false],
    ] as const) {
      const expiresAt = new Date(Date.now() + days * dayMs);
      const { text } = await createKey(service, `till-${days}`, { expiresAt });
      await using visited = await visit(chromium.browser, service.url);
      await signIn(visited.page, text);
      await visited.page.getByText(`Signed in as till-${days}`).waitFor();
      expect(await visited.page.getByText('Your key expires on').count()).toBe(isTold ? 1 : 0);
      expect(await visited.findBarriers()).toEqual([]);
    }
  });
});

describe('the sales', () => {
  it('tell who sold what and when, newest first, and lead to the pet and back', async () => {
    await using service = await openShop('Rex', 'Mia');
    const { text } = await createKey(service, 'till-2');
    await service.clientWith({ apiKey: text }).updatePet(1n, { status: 'sold' });
    await service.client.updatePet(2n, { status: 'pending' });
    for (const size of [desktop, phone]) {
      await using visited = await openConsole(chromium.browser, service, size);
      const { page, complaints } = visited;
      await page.getByRole('link', { name: 'Sales', exact: true }).click();
      const sales = page.locator('.sale');
      await sales.nth(1).waitFor();
      expect(await sales.nth(0).innerText()).toMatch(/Mia[^]*Pending[^]*API_KEYS/);
      expect(await sales.nth(1).innerText()).toMatch(/Rex[^]*Sold[^]*till-2/);
      const day = new Date().toLocaleDateString('en-US', { dateStyle: 'full' });
      await page.getByRole('heading', { name: day }).waitFor();
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
