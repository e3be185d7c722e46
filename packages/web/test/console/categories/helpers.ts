import type { Page } from 'playwright-core';
import { openShop } from '../../../../../test/support/browser/shop.ts';
import type { ListeningService } from '../../../../../test/support/http/listening.ts';

/** Rex and Mia are dogs; Bubbles is of a category without a name. */
export async function openNamed(): Promise<ListeningService> {
  const service = await openShop('Rex', 'Mia', 'Bubbles');
  await service.client.updatePet(3n, { categoryId: 4n });
  await service.client.putCategory(7n, 'Dogs');
  await service.client.putCategory(8n, 'Cats');
  return service;
}

export async function openCategories(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Categories' }).click();
  await page.getByRole('heading', { name: 'Categories' }).waitFor();
}

export const namesOf = async ({ client }: ListeningService) =>
  (await client.listCategories({ limit: 100 })).categories.map(({ id, name }) => [id, name]);

/** Answers the question for another name, or dismisses it. Resolves with what it says. */
export async function rename(page: Page, name: string, to?: string): Promise<string> {
  await page.getByRole('button', { name: `Rename ${name}` }).click();
  const dialog = page.locator('dialog[open]');
  const field = dialog.getByLabel('Name');
  const said = `${await dialog.getByRole('heading').innerText()}: ${await field.inputValue()}`;
  if (to !== undefined) await field.fill(to);
  await page.keyboard.press(to === undefined ? 'Escape' : 'Enter');
  await dialog.waitFor({ state: 'detached' });
  return said;
}
