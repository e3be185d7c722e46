/** Takes the screenshots in `docs/screenshots`: `npm run screenshots`. */
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { sampleCategories } from '../../src/domain/sample-pets.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { openListeningService } from '../support/http/listening.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { add, signIn } from '../support/browser/console.ts';
import { openDetails } from '../support/browser/shop.ts';
import { visit } from '../support/browser/visit.ts';

const folder = join(import.meta.dir, '../../docs/screenshots');
const screen: BrowserContextOptions = { viewport: { width: 1366, height: 768 } };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 700 } };
const names = ['Rex', 'Mia', 'Bruno', 'Luna', 'Balu', 'Nala', 'Coco', 'Zoë', 'Ида', 'Max', 'Daisy', 'Milo'];

// The address of a free port would change the picture each time.
await using service = await openListeningService({ publicUrl: 'https://pets.example/v1' });
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
  // The pointer would highlight what it clicked last.
  await visited.page.mouse.move(0, 0);
  // Until transitions have ended.
  await visited.page.waitForTimeout(700);
  await visited.page.screenshot({ path: join(folder, `${name}.png`) });
}

const enter = async (page: Page, name = 'Rex'): Promise<void> => {
  await signIn(page, key.text);
  await page.getByText(name).first().waitFor();
};

await take('phone', '/', phone, (page) => enter(page));
const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
await take('docs', '/docs', wide, (page) =>
  // At once: a picture in the middle of a smooth scroll shows neither place.
  page.evaluate<void>(`document.querySelector('#createPet').scrollIntoView({ behavior: 'instant' })`),
);
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
