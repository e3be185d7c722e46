import { describe, expect, it } from 'bun:test';
import { useTills } from '../../../../../test/support/browser/tills.ts';
import {
  drawn,
  noteOf,
  openShop,
  rowOf,
  soldIn,
  stopClock,
} from '../../../../../test/support/browser/shop.ts';

const tills = useTills();

describe('hurried hands', () => {
  it('sell one pet, and do not undo the sale, by clicking the same spot again after 0.15, 0.3 and 2 seconds', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    const { x, y } = (await page.getByRole('button', { name: 'Sell Mia' }).boundingBox())!;
    const click = () => page.mouse.click(x + 5, y + 5);
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
    await stopClock(page);
    await Promise.all([page.waitForResponse('**/v1/pets/2'), click()]);
    await drawn(page, noteOf(page, 'Mia (2) is sold.'));
    for (const delayMs of [150, 300, 2000]) {
      await page.clock.runFor(delayMs);
      await click();
    }
    await page.clock.runFor(1000);
    expect(changes).toEqual([`${service.url}/v1/pets/2`]);
    expect(await soldIn(service)).toEqual([2n]);
  });

  it('sell one pet after another with the keyboard, each once', async () => {
    const { page, service } = await tills.open(openShop('Rex', 'Mia', 'Balu'));
    await rowOf(page, 'Rex').waitFor();
    await stopClock(page);
    for (const name of ['Rex', 'Mia']) {
      await page.getByRole('button', { name: `Sell ${name}` }).focus();
      await page.keyboard.press('Enter');
      await drawn(page, noteOf(page, `${name} (`).filter({ hasText: 'is sold.' }));
      await page.keyboard.press('Enter');
    }
    await page.clock.runFor(1000);
    expect(await soldIn(service)).toEqual([1n, 2n]);
  });
});
