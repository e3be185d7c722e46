import { describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, patch } from '../support/http/calls.ts';
import { startService } from '../support/process/process.ts';

const orders = '/v1/store/orders';

describe('petstore serve --stable-only', () => {
  it.each([
    ['a flag', 1, { args: ['--stable-only'] }],
    ['a variable and two workers', 2, { env: { STABLE_ONLY: 'true' } }],
  ])('serves only the stable operations, given as %s', async (_title, workers, options) => {
    await using service = await startService({ ...options, workers });
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

describe('petstore serve --public-url and --staging-url', () => {
  it('are the servers of the document', async () => {
    await using service = await startService({
      args: ['--public-url', 'https://pets.example/v1'],
      env: { STAGING_URL: 'https://staging.pets.example/v1' },
    });
    const { servers } = (await (await service.call('/openapi.json')).json()) as {
      servers: { url: string }[];
    };
    expect(servers.map(({ url }) => url)).toEqual([
      'https://pets.example/v1',
      'https://staging.pets.example/v1',
    ]);
  });
});
