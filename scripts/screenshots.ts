/** Takes the screenshots in `docs/screenshots`: `npm run screenshots`. */
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { sampleCategories } from '../src/domain/sample-pets.ts';
import { issueKey } from '../src/stores/issue-key.ts';
import { openListeningService } from '../test/support/http/listening.ts';
import { openBrowser } from '../test/support/browser/browser.ts';
import { add, signIn } from '../test/support/browser/console.ts';
import { deafen, noteOf, openDetails, rowOf } from '../test/support/browser/shop.ts';
import { visit } from '../test/support/browser/visit.ts';

const folder = join(import.meta.dir, '../docs/screenshots');
const screen: BrowserContextOptions = { viewport: { width: 1366, height: 768 } };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 700 } };
const names = ['Rex', 'Mia', 'Bruno', 'Luna', 'Balu', 'Nala', 'Coco', 'Zoë', 'Ида', 'Max', 'Daisy', 'Milo'];

await using service = await openListeningService();
const key = await issueKey(service.keys, { name: 'till-1', isReadOnly: false, now: new Date() });
const client = service.clientWith({ apiKey: key.text });
await using chromium = await openBrowser();
for (const { id, name } of sampleCategories) await client.putCategory(id, name);
for (let index = 0; index < 60; index++) {
  const status = (['available', 'pending', 'available', 'sold', undefined] as const)[index % 5];
  const categoryId = index === 3 ? 2n ** 63n - 1n : BigInt((index % 7) + 1);
  await client.createPet({
    name: names[index % names.length] ?? '',
    categoryId,
    ...(status && { status }),
  });
}

async function take(
  name: string,
  path: string,
  options: BrowserContextOptions,
  prepare: (page: Page) => Promise<void>,
): Promise<void> {
  await using visited = await visit(chromium.browser, service.url + path, options);
  await prepare(visited.page);
  // Until transitions have ended.
  await visited.page.waitForTimeout(700);
  await visited.page.screenshot({ path: join(folder, `${name}.png`) });
}

const enter = async (page: Page, name = 'Rex'): Promise<void> => {
  await signIn(page, key.text);
  await page.getByText(name).first().waitFor();
};

await take('sign-in', '/', screen, async (page) => {
  await page.getByLabel('API key').fill('pets_mistyped');
  await page.keyboard.press('Enter');
  await page.getByText('not accepted').waitFor();
});
await take('pets-dark', '/', { ...screen, colorScheme: 'dark' }, async (page) => {
  await enter(page);
  await page.getByRole('radio', { name: 'Available' }).check();
});
await take('phone', '/', phone, (page) => enter(page));
await take('phone-mistake', '/', { ...phone, colorScheme: 'dark' }, async (page) => {
  await enter(page);
  await page.getByRole('button', { name: 'Add a pet' }).click();
  await add(page, 'Pixel', '7.5');
});
await take('away', '/', screen, async (page) => {
  await enter(page);
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByText('cannot be reached').waitFor();
});
await take('search', '/?q=zoe', screen, async (page) => {
  await signIn(page, key.text);
  await page.getByText('5 pets matching “zoe”').waitFor();
});
await take('shortcuts', '/', screen, async (page) => {
  await enter(page);
  await page.keyboard.press('?');
});
const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
/** Scrolls at once: a screenshot in the middle of a smooth scroll shows neither place. */
const scrollTo = (page: Page, selector: string, block = 'start') =>
  page.evaluate<void>(
    `document.querySelector('${selector}').scrollIntoView({ block: '${block}', behavior: 'instant' })`,
  );
const tryList = async (page: Page): Promise<void> => {
  const form = page.getByRole('form', { name: 'Try listPets' });
  await page.getByLabel('API key').fill(key.text);
  await form.getByLabel('limit').fill('3');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('200 OK').waitFor();
};
await take('docs-beta', '/docs', wide, (page) => scrollTo(page, '#updatePet'));
await take('docs', '/docs', wide, (page) => scrollTo(page, '#createPet'));
await take('docs-dark', '/docs', { ...wide, colorScheme: 'dark' }, async (page) => {
  await page.getByRole('radio', { name: 'TypeScript' }).check();
  await scrollTo(page, '#create');
});
await take('docs-try', '/docs', wide, async (page) => {
  await tryList(page);
  await scrollTo(page, '#listPets .try', 'center');
});
await take('docs-phone', '/docs', phone, (page) => scrollTo(page, '#create'));
await take('pets', '/', screen, async (page) => {
  await enter(page);
  await add(page, 'Pixel', '9007199254740993');
  await page.getByText('was added').waitFor();
});
// Pixel was added just before, and no other pet has its name.
await take('sell', '/', screen, async (page) => {
  await enter(page, 'Pixel');
  await openDetails(page, 'Pixel');
});
await take('conflict', '/', screen, async (page) => {
  await enter(page, 'Pixel');
  await deafen(page);
  const pets = await Array.fromAsync(client.pets());
  const pixel = pets.find(({ name }) => name === 'Pixel');
  if (!pixel) throw new Error('Pixel is not there.');
  await service.client.updatePet(pixel.id, { categoryId: 12n, status: 'pending' });
  await rowOf(page, 'Pixel').getByRole('button', { name: 'Sell' }).click();
  await noteOf(page, 'in the meantime').waitFor();
});

await take('sales', '/#/sales', screen, async (page) => {
  await page.getByLabel('API key').fill(key.text);
  await page.keyboard.press('Enter');
  await page.locator('.sale button').first().waitFor();
});
await take('details-wide', '/', { viewport: { width: 1920, height: 1000 } }, async (page) => {
  await enter(page, 'Pixel');
  await openDetails(page, 'Pixel');
});
