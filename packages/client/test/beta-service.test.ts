import { describe, expect, it } from 'bun:test';
import { isInvalidPet, type PetChanges } from '../src/index.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { clientThrough } from '../../../test/support/http/bad-connection.ts';
import { openFaultyProxy, type Fault } from '../../../test/support/http/faulty-proxy.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { patch } from '../../../test/support/http/calls.ts';

const largest = 2n ** 63n - 1n;

describe('the beta operations', () => {
  it('changes every field and removes the status', async () => {
    await using service = await openListeningService();
    const { client } = service;
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n, status: 'available' });
    const changed = { id, name: 'Re"x 🐕', categoryId: largest, status: 'sold' as const };
    const { id: _, ...changes } = changed;
    expect(await client.updatePet(id, changes)).toMatchObject(changed);
    expect(await client.updatePet(id, { status: null, name: undefined })).not.toHaveProperty('status');
    expect(await Array.fromAsync(client.pets())).toEqual([{ id, name: 'Re"x 🐕', categoryId: largest }]);
  });

  it('refuses exactly the changes that the service refuses', async () => {
    await using service = await openListeningService();
    const { client } = service;
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n });
    const cases: [PetChanges, string][] = [
      [{ name: '' }, '{"name":""}'],
      [{ categoryId: -largest - 1n }, '{"categoryId":-9223372036854775808}'],
      [{ status: null }, '{"status":null}'],
      [{ name: 'a\0' }, '{"name":"a\\u0000"}'],
      [{ name: '\ud83d' }, '{"name":"\\ud83d"}'],
      [{ categoryId: largest + 1n }, '{"categoryId":9223372036854775808}'],
      [{}, '{}'],
      [{ expected: { name: '' } }, '{"expected":{"name":""}}'],
      [{ name: '', expected: {} }, '{"name":"","expected":{}}'],
    ];
    for (const [changes, body] of cases) {
      const { status } = await service.call(`/v1/pets/${id}`, patch(body));
      const result = await client.updatePet(id, changes).catch((error: unknown) => error);
      const isRefused = isInvalidPet(result) && result.status === undefined;
      expect({ body, isRefused }).toEqual({ body, isRefused: status === 400 });
    }
  });
});

describe('the beta operations over a bad connection', () => {
  const faults: Fault[] = ['cut-response', 503, 'cut-midway', 'cut-request', 502, 'cut-response'];

  it('does not sell a pet twice if it was returned after a lost response', async () => {
    await using service = await openListeningService();
    const { id } = await service.client.createPet({ name: 'Rex', categoryId: 1n, status: 'available' });
    let attempts = 0;
    const client = service.clientWith({
      async fetch(url, init) {
        attempts += 1;
        const response = await fetch(url, init);
        if (attempts > 1) return response;
        await service.client.updatePet(id, { status: 'available' });
        throw new Error('The connection was lost.');
      },
    });
    expect(await failureOf(client.updatePet(id, { status: 'sold' }))).toMatchObject({ code: 'network' });
    expect(await Array.fromAsync(service.client.orders({ petId: id }))).toHaveLength(1);
  });

  it('deletes a pet, however often the delete is retried', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, faults);
    const { id } = await service.client.createPet({ name: 'Rex', categoryId: 1n });
    expect(await clientThrough(service, proxy.url).deletePet(id)).toBeUndefined();
    expect(proxy.connections).toBe(faults.length + 1);
    expect(await Array.fromAsync(service.client.pets())).toEqual([]);
  });

  it('reports a lost response, not a conflict with itself', async () => {
    await using service = await openListeningService();
    await using proxy = await openFaultyProxy(service.port, ['cut-response']);
    const pet = await service.client.createPet({ name: 'Rex', categoryId: 1n, status: 'available' });
    const client = clientThrough(service, proxy.url);
    const update = client.updatePet(pet.id, { status: 'sold', expected: { status: 'available' } });
    expect(await failureOf(update)).toMatchObject({ code: 'network' });
    expect(await Array.fromAsync(service.client.pets())).toEqual([{ ...pet, status: 'sold' }]);
  });
});
