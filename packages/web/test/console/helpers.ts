import type { Page } from 'playwright-core';

/** From now on, these requests wait until the returned function is called. */
export async function hold(page: Page, path: string): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await released.promise;
    // The page may be closed by now.
    await route.continue().catch(() => {});
  });
  return released.resolve;
}

/** From now on, each of these requests waits before it reaches the service. */
export async function slowDown(page: Page, path: string, delayMs: () => number): Promise<void> {
  await page.route(path, async (route) => {
    await Bun.sleep(delayMs());
    // The page may be closed by now.
    await route.continue().catch(() => {});
  });
}

/** Waits until the rows of the latest search take clicks and keys. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.grid:not([inert])').waitFor();
  await page.evaluate(
    `Promise.all(document.querySelector('.rows').getAnimations().map(({ finished }) => finished))`,
  );
}
