import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { useTills } from '../../../../test/support/browser/tills.ts';
import { signIn } from '../../../../test/support/browser/console.ts';
import { visit } from '../../../../test/support/browser/visit.ts';

const tills = useTills();

describe('the sign-in form', () => {
  it('explains what is wrong, and keeps a good key for the tab only, and never in the address', async () => {
    await using service = await openListeningService();
    await using visited = await visit(tills.browser, service.url);
    const { page, complaints } = visited;
    const field = page.getByLabel('API key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter your API key').waitFor();
    await field.fill('pets_wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This key was not accepted').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('key');
    expect(await visited.findBarriers()).toEqual([]);
    await service.goAway();
    await field.fill(service.apiKey);
    await page.keyboard.press('Enter');
    const advice = 'The service cannot be reached. It may be restarting. Try again in a moment.';
    await page.getByText(advice).waitFor();
    service.comeBack();
    await page.keyboard.press('Enter');
    await page.getByText('No pets yet').waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toBe('{}');
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toContain(service.apiKey);
    await page.reload();
    await page.getByText('No pets yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    expect(complaints).toEqual([]);
  });

  it('remembers the key on request until the person signs out, whatever key the docs use', async () => {
    await using service = await openListeningService();
    await using visited = await visit(tills.browser, service.url);
    const { page } = visited;
    await page.getByLabel('Remember me on this device').check();
    await signIn(page, service.apiKey);
    await page.goto(`${service.url}/docs`);
    const field = page.getByLabel('API key');
    expect(await field.inputValue()).toBe(service.apiKey);
    for (const key of ['pets_other', '']) {
      await field.fill(key);
      await field.blur();
      expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(service.apiKey);
    }
    // A wrong key of the tab is refused in the console, which then uses the remembered key.
    await page.evaluate<void>("sessionStorage.setItem('petstore-api-key', 'pets_wrong')");
    await page.goto(service.url);
    await page.getByText('No pets yet').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    const secondTab = await page.context().newPage();
    await secondTab.goto(service.url);
    await secondTab.getByText('No pets yet').waitFor();
    await secondTab.getByRole('button', { name: 'Sign out' }).click();
    // The storage of one tab reaches the other a moment later.
    await page.waitForFunction('localStorage.length === 0');
  });
});
