import { describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { openListeningService, type ListeningService } from '../../../../test/support/http/listening.ts';
import { useBrowser } from '../../../../test/support/browser/use-browser.ts';
import { visit, type Visit } from '../../../../test/support/browser/visit.ts';

const chromium = useBrowser();

const formOf = (page: Page, operation: string) => page.getByRole('form', { name: `Try ${operation}` });
const send = (form: Locator) => form.getByRole('button', { name: 'Send' }).click();

/** The docs with the key entered. */
async function openDocs(service: ListeningService, options = {}): Promise<Visit> {
  const visited = await visit(chromium.browser, `${service.url}/docs`, options);
  await visited.page.getByLabel('API key').fill(service.apiKey);
  return visited;
}

describe('Try it', () => {
  it('is one click away from the head of each operation, and says that it needs a key and where to get one', async () => {
    await using service = await openListeningService();
    await using visited = await visit(chromium.browser, `${service.url}/docs`);
    const { page } = visited;
    const form = formOf(page, 'createPet');
    await page.locator('#createPet').getByRole('link', { name: 'Try it' }).click();
    await form.getByRole('button', { name: 'Send' }).click({ trial: true });
    expect(page.url()).toEndWith('#createPet-try');
    await send(form);
    await form.getByText('Enter an API key in the bar first.').waitFor();
    const field = page.getByLabel('API key');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('API key');
    await form.getByRole('link', { name: 'How to get one' }).click();
    expect(page.url()).toEndWith('#key');
    expect(await service.client.listPets()).toEqual({ pets: [] });
  });

  it('sends once on a double click, and shows every digit of the response with its status, time and size', async () => {
    await using service = await openListeningService();
    await using visited = await openDocs(service);
    const { page, complaints } = visited;
    const form = formOf(page, 'createPet');
    await form.getByLabel('Body').fill('{"name":"Rex","categoryId":9223372036854775807}');
    await form.getByRole('button', { name: 'Send' }).dblclick();
    await form.getByText('201 Created').waitFor();
    expect(await form.getByRole('status').innerText()).toMatch(/^201 Created\s+\d+ ms · 54 bytes$/);
    expect(await form.getByLabel('Body', { exact: true }).last().innerText()).toBe(
      '{\n  "id": 1,\n  "name": "Rex",\n  "categoryId": 9223372036854775807\n}',
    );
    const headers = form.getByText('location: /v1/pets/1');
    expect(await headers.isVisible()).toBe(false);
    await form.getByText(/^Headers \(\d+\)$/).click();
    expect(await headers.isVisible()).toBe(true);
    expect(page.url()).toBe(`${service.url}/docs`);
    expect((await service.client.listPets()).pets.length).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('sends every documented parameter and header, and offers the statuses as a choice', async () => {
    await using service = await openListeningService();
    await service.client.createPet({ name: 'Rex', categoryId: 1n });
    await using visited = await openDocs(service);
    const { page } = visited;
    const sent = async (operation: string, values: Record<string, string>) => {
      const form = formOf(page, operation);
      await form.locator('details > summary').first().click();
      for (const [label, value] of Object.entries(values)) {
        const field = form.getByLabel(label, { exact: true });
        if (label === 'status') await field.selectOption(value);
        else await field.fill(value);
      }
      const [request] = await Promise.all([page.waitForRequest('**/v1/**'), send(form)]);
      return request;
    };
    const options = formOf(page, 'listPets').getByLabel('status').locator('option');
    expect(await options.allInnerTexts()).toEqual(['Not sent', 'available', 'pending', 'sold']);
    const list = await sent('listPets', {
      limit: '5',
      status: 'sold',
      cursor: 'abc',
      'If-None-Match': '"a"',
      'If-Match': '"b"',
      'X-Request-Id': 'checkout-1',
    });
    expect(list.url()).toBe(`${service.url}/v1/pets?limit=5&status=sold&cursor=abc`);
    expect(await list.allHeaders()).toMatchObject({
      authorization: `Bearer ${service.apiKey}`,
      'if-none-match': '"a"',
      'if-match': '"b"',
      'x-request-id': 'checkout-1',
    });
    const create = await sent('createPet', { 'Idempotency-Key': 'order-1', Body: '{"name":"Mia"}' });
    expect(create.postData()).toBe('{"name":"Mia"}');
    expect(await create.allHeaders()).toMatchObject({
      'idempotency-key': 'order-1',
      'content-type': 'application/json',
    });
    const get = await sent('getPet', { petId: '-7' });
    expect(get.url()).toBe(`${service.url}/v1/pets/-7`);
  });

  it('explains an error, links to its code, and says when a response has no body', async () => {
    await using service = await openListeningService();
    await using visited = await openDocs(service);
    const { page } = visited;
    const form = formOf(page, 'listPets');
    await form.getByLabel('limit').fill('0');
    await send(form);
    await form.getByText('400 Bad Request').waitFor();
    expect(await form.locator('.explanation').innerText()).toBe(
      'invalid_parameter Fix the parameter or header that the message names.',
    );
    await form.getByRole('link', { name: 'invalid_parameter' }).click();
    expect(await page.locator(':target dt code').innerText()).toBe('invalid_parameter');
    await form.getByLabel('limit').fill('');
    await send(form);
    await form.getByText('200 OK').waitFor();
    await form.getByText(/^Headers \(\d+\)$/).click();
    const [, etag = ''] =
      /etag: (\S+)/.exec(await form.getByLabel('Headers', { exact: true }).innerText()) ?? [];
    await form.locator('details > summary').first().click();
    await form.getByLabel('If-None-Match').fill(etag);
    await send(form);
    await form.getByText('304 Not Modified').waitFor();
    expect(await form.getByRole('status').innerText()).toMatch(/0 bytes$/);
    await form.getByText('No body').waitFor();
  });

  it('sends a new Idempotency-Key after each success, and the same one after the service could not be reached', async () => {
    await using service = await openListeningService();
    await using visited = await openDocs(service, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = visited;
    const form = formOf(page, 'createPet');
    const sendAndReadKey = async () => {
      const [request] = await Promise.all([page.waitForRequest('**/v1/pets'), send(form)]);
      return (await request.allHeaders())['idempotency-key']!;
    };
    const field = form.locator('[data-name="Idempotency-Key"]');
    const renewed = async (key: string) => {
      while ((await field.inputValue()) === key) await Bun.sleep(10);
    };
    const first = await sendAndReadKey();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    await renewed(first);
    await service.goAway();
    const second = await sendAndReadKey();
    await form.getByText('The request could not be sent.').waitFor();
    service.comeBack();
    expect(await sendAndReadKey()).toBe(second);
    expect(second).not.toBe(first);
    await renewed(second);
    expect((await service.client.listPets()).pets.length).toBe(2);
    // Each copy as curl has another one, too.
    const keys = new Set<string>();
    for (const count of [1, 2, 3]) {
      await form.getByRole('button', { name: /^(Copy as curl|Copied)$/ }).click();
      while (keys.size < count) {
        const copied = await page.evaluate<string>('navigator.clipboard.readText()');
        const [key] = /(?<=Idempotency-Key: )[0-9a-f-]{36}/.exec(copied) ?? [];
        if (key !== undefined) keys.add(key);
      }
    }
    expect(keys.size).toBe(3);
    await form.locator('details > summary').first().click();
    await field.fill('order-1');
    expect(await sendAndReadKey()).toBe('order-1');
    await form.getByText('"id": 3').waitFor();
    expect(await sendAndReadKey()).toBe('order-1');
    await form.getByText('idempotent-replayed: true').waitFor({ state: 'attached' });
    expect((await service.client.listPets()).pets.length).toBe(3);
  });
});
