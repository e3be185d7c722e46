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

export const valuesOf = (fields: unknown[]): string[] =>
  fields.map((field) => (field as { value: string }).value);

/** Longer than between two keys of a scan. */
const pauseMs = 120;

/** Types the keys of a label scanner, so many ms apart by their own time, wherever the focus is. */
export async function scan(page: Page, text: string, gapMs = 10, end = 'Enter'): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // What came before is not a part of it, nor what comes after.
  await Bun.sleep(pauseMs);
  const startMs = Date.now();
  for (const [index, key] of [...Array.from(text), end].entries()) {
    const typed = { Enter: '\r', Tab: '' }[key] ?? key;
    const windowsVirtualKeyCode = { Enter: 13, Tab: 9 }[key] ?? key.charCodeAt(0);
    const event = { key, windowsVirtualKeyCode, timestamp: (startMs + index * gapMs) / 1000 };
    await session.send('Input.dispatchKeyEvent', { ...event, type: 'keyDown', text: typed });
    await session.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
  }
  await session.detach();
  await Bun.sleep(startMs + text.length * gapMs + pauseMs - Date.now());
}
