import { afterAll, describe, expect, it } from 'bun:test';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { createClient } from '../src/index.ts';

const service = await openListeningService();
const { client } = service;
afterAll(() => service[Symbol.asyncDispose]());

describe('the client', () => {
  it('searches page by page', async () => {
    for (const name of ['Łucja', 'Rex 1', 'Rex 2', 'Rex 3'])
      await client.createPet({ name, categoryId: 2n ** 62n + 1n, status: 'sold' });
    const namesOf = async (options?: Parameters<typeof client.searchPets>[0]) =>
      (await Array.fromAsync(client.searchPets(options))).map(({ name }) => name);
    expect(await namesOf({ q: 'rex', limit: 1 })).toEqual(['Rex 3', 'Rex 2', 'Rex 1']);
    expect(await namesOf({ q: 'rex', sort: 'oldest', limit: 2 })).toEqual(['Rex 1', 'Rex 2', 'Rex 3']);
    expect(await namesOf({ categoryId: 2n ** 62n + 1n, q: 'lucja' })).toEqual(['Łucja']);
    expect(await namesOf({ id: 1n, status: 'sold' })).toEqual(['Łucja']);
    expect(await namesOf({ id: 1n, status: 'pending' })).toEqual([]);
    expect(await namesOf()).toHaveLength(4);
  });

  it('lists the orders of a pet, newest first, with the name of the key', async () => {
    await client.updatePet(1n, { status: 'pending' });
    const orders = await Array.fromAsync(client.orders({ petId: 1n, sort: 'newest' }));
    expect(orders).toMatchObject([
      { petId: 1n, status: 'pending', createdBy: 'API_KEYS' },
      { petId: 1n, status: 'sold', createdBy: 'API_KEYS' },
    ]);
  });

  it('describes its key', async () => {
    expect(await client.getKey()).toEqual({ name: 'API_KEYS', readOnly: false, mayDelete: true });
    const times = { createdAt: '2026-11-16T09:30:00.000Z', expiresAt: '2027-11-16T09:30:00.000Z' };
    const body = JSON.stringify({ name: 'till-2', readOnly: true, mayDelete: false, ...times });
    const other = createClient({ baseUrl: '/', apiKey: 'k', fetch: async () => new Response(body) });
    expect(await other.getKey()).toEqual({
      name: 'till-2',
      readOnly: true,
      mayDelete: false,
      createdAt: new Date(times.createdAt),
      expiresAt: new Date(times.expiresAt),
    });
  });
});
