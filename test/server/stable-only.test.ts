import { describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, patch } from '../support/http/calls.ts';
import { startService } from '../support/process/process.ts';

const orders = '/v1/store/orders';

describe('petstore serve --stable-only', () => {
  it('serves only the stable operations, with two workers', async () => {
    await using service = await startService({ workers: 2, args: ['--stable-only'] });
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(service.url + path, {
        ...init,
        redirect: 'manual',
        headers: { ...(init.headers as object), Authorization: `Bearer ${service.apiKey}` },
      });
    const id = await addPet(service.call);
    expect(await outcomeOf(ask(`/v1/pets/${id}`, patch({ name: 'Tom' })))).toBe('405 method_not_allowed');
    expect(await outcomeOf(ask(orders))).toBe('404 not_found');
    expect((await ask('/')).headers.get('Location')).toBe('docs');
    expect(await (await ask('/openapi.json')).text()).not.toContain('x-stability');
  });
});
