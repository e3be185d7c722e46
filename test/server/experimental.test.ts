import { describe, expect, it } from 'bun:test';
import { addPet, experimental, idsOf, outcomeOf, patch, rex } from '../support/http/calls.ts';
import { makeFolder, startService } from '../support/process/process.ts';

const orders = '/v1/store/orders';
const servers = async (service: { call: (path: string) => Promise<Response> }, path: string) =>
  ((await (await service.call(path)).json()) as { servers: { url: string }[] }).servers.map(({ url }) => url);

describe('petstore serve --experimental', () => {
  it.each([
    ['a flag', 1, { args: ['--experimental'] }],
    ['a variable and two workers', 2, { env: { EXPERIMENTAL: 'true' } }],
  ])('serves the experimental operations, given as %s', async (_title, workers, options) => {
    await using service = await startService({ ...options, workers });
    const { call } = service;
    const id = await addPet(call, { ...rex, status: 'available' });
    const sell = { status: 'sold', expected: { status: 'available' } };
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => outcomeOf(call(`/v1/pets/${id}`, patch(sell)))),
    );
    expect(outcomes.toSorted()).toEqual([
      '200',
      ...Array.from({ length: 5 }, () => '412 precondition_failed'),
    ]);
    await addPet(call, { ...rex, status: 'pending' });
    for (let round = 0; round < 4; round++) {
      expect(idsOf(await (await call(orders, experimental())).text())).toHaveLength(2);
    }
    expect(await outcomeOf(call(`/v1/pets/${id}`, experimental({ method: 'DELETE' })))).toBe('204');
    expect(await outcomeOf(call(`/v1/pets/${id}`))).toBe('404 not_found');
    expect(await outcomeOf(call('/openapi.experimental.json'))).toBe('200');
    expect(await outcomeOf(call(orders))).toBe('404 not_found');
    expect(await service.stop()).toBe(0);
  });

  it('keeps what it wrote, for a service that starts without it and for the next one with it', async () => {
    using folder = makeFolder();
    const databaseUrl = folder.database;
    const args = ['--experimental'];
    let id = '';
    {
      await using service = await startService({ databaseUrl, args });
      id = await addPet(service.call, { ...rex, status: 'sold' });
      await service.call(`/v1/pets/${id}`, patch({ name: 'Tom' }));
      expect(await service.stop()).toBe(0);
    }
    {
      await using service = await startService({ databaseUrl });
      expect(await (await service.call(`/v1/pets/${id}`)).json()).toMatchObject({ name: 'Tom' });
      expect(await outcomeOf(service.call(`/v1/pets/${id}`, patch({ name: 'Rex' })))).toBe(
        '405 method_not_allowed',
      );
      await addPet(service.call, { ...rex, status: 'sold' });
      expect(await service.stop()).toBe(0);
    }
    await using service = await startService({ databaseUrl, args });
    const listed = (await (await service.call(orders, experimental())).json()) as { petId: number }[];
    expect(listed.map(({ petId }) => String(petId))).toEqual([id]);
  });
});

describe('petstore serve --public-url and --staging-url', () => {
  it('lists both addresses first in the documents', async () => {
    await using service = await startService({
      args: ['--experimental', '--public-url', 'https://pets.example/v1'],
      env: { STAGING_URL: 'https://staging.pets.example/v1' },
    });
    for (const path of ['/openapi.json', '/openapi.experimental.json']) {
      expect((await servers(service, path)).slice(0, 2)).toEqual([
        'https://pets.example',
        'https://staging.pets.example',
      ]);
    }
  });
});
