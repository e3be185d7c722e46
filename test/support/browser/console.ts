import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { generateKey, hashKey } from '../../../src/domain/api-key.ts';
import { petStatuses, type NewPet } from '../../../src/domain/pet.ts';
import { createPet } from '../changes.ts';
import type { ListeningService } from '../http/listening.ts';
import { visit, type Visit } from './visit.ts';

export const desktop: BrowserContextOptions = { viewport: { width: 1200, height: 800 } };
export const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 700 },
  hasTouch: true,
  isMobile: true,
};
/** Each screen and each colour scheme once, because colours do not depend on the screen. */
export const looks: Record<string, BrowserContextOptions> = {
  'a desktop in light colours': { ...desktop, colorScheme: 'light' },
  'a phone in dark colours': { ...phone, colorScheme: 'dark' },
};

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in as').waitFor();
}

/** Opens the console and signs in. */
export async function openConsole(
  browser: Browser,
  service: ListeningService,
  options?: BrowserContextOptions,
): Promise<Visit> {
  const visited = await visit(browser, service.url, options);
  await signIn(visited.page, service.apiKey);
  return visited;
}

/** A key of the service's own store. */
export async function createKey(
  service: ListeningService,
  name: string,
  options: { isReadOnly?: boolean; mayDelete?: boolean; expiresAt?: Date } = {},
): Promise<{ text: string; id: string }> {
  const text = generateKey();
  const lastFour = text.slice(-4);
  const stored = {
    name,
    hash: hashKey(text),
    lastFour,
    isReadOnly: false,
    mayDelete: true,
    createdAt: new Date(),
    ...options,
  };
  return { text, id: (await service.keys.createKey(stored)).id };
}

/** Adds pets in one commit, in this order, as the key of the tests would. */
export async function addPets({ pets }: ListeningService, newPets: readonly NewPet[]): Promise<void> {
  await Promise.all(newPets.map((pet) => pets.apply(createPet(pet, undefined, 'API_KEYS'))));
}

/** So many pets, of each status in turn. */
export const manyPets = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => {
    return { name: `Pet ${index}`, categoryId: BigInt(index), status: petStatuses[index % 3]! };
  });

export const rows = (page: Page): Locator => page.locator('.row[data-id]');

export async function add(page: Page, name: string, category: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Category', { exact: true }).fill(category);
  await page.getByRole('button', { name: 'Add pet' }).click();
}

/** Shows the pets that were announced above the list. */
export async function showNews(page: Page): Promise<void> {
  await page.locator('.news').getByRole('button', { name: 'Show' }).click();
}

/** The elements that are wider than their box, and the document itself if it scrolls sideways. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [document.documentElement, ...document.querySelectorAll('main *, header *')]
      .filter((element) => !element.closest('.visually-hidden, .label, .columns, svg') && element.tagName !== 'INPUT'
        && getComputedStyle(element).display !== 'inline' && element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 200))`);
}

export async function describedBy(page: Page, label: string): Promise<string> {
  const id = await page.getByLabel(label, { exact: true }).getAttribute('aria-describedby');
  return page.locator(`#${id}`).innerText();
}

/** Presses Tab until the element with this text has the focus. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>('document.activeElement.textContent')) === text) return;
  }
  throw new Error(`The Tab key does not reach “${text}”.`);
}
