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

describe('the categories of a service', () => {
  it('names, renames, lists and removes them, each only as it was seen', async () => {
    await using service = await openListeningService();
    const { client } = service;
    const refused = { code: 'precondition_failed', status: 412 };
    const first = await client.putCategory(largest, 'Dogs', { ifNoneMatch: '*' });
    expect(first).toEqual({ id: largest, name: 'Dogs', etag: expect.stringMatching(/^"/) as string });
    expect(await failureOf(client.putCategory(largest, 'Cats', { ifNoneMatch: '*' }))).toMatchObject(refused);
    const { etag } = await client.putCategory(largest, 'Cats', { ifMatch: first.etag });
    expect(await failureOf(client.deleteCategory(largest, { ifMatch: first.etag }))).toMatchObject(refused);
    await client.putCategory(-largest, 'Birds');
    const cats = { id: largest, name: 'Cats' };
    expect(await Array.fromAsync(client.categories())).toEqual([{ id: -largest, name: 'Birds' }, cats]);
    const { categories, next } = await client.listCategories({ limit: 1 });
    expect(categories).toEqual([{ id: -largest, name: 'Birds' }]);
    expect(await client.listCategories({ next })).toEqual({ categories: [cats] });
    await client.deleteCategory(largest, { ifMatch: etag });
    expect(await failureOf(client.deleteCategory(largest))).toMatchObject({ code: 'not_found' });
  });

  it('reports what the service says about a bad name', async () => {
    await using service = await openListeningService();
    for (const name of ['', ' ', 'x'.repeat(101), '\ud83d', undefined as unknown as string])
      expect(await failureOf(service.client.putCategory(1n, name))).toMatchObject({
        code: 'invalid_category',
        status: 400,
      });
  });

  it('does not repeat a name that may have arrived, and repeats a removal', async () => {
    await using service = await openListeningService();
    await service.client.putCategory(7n, 'Cats');
    await using proxy = await openFaultyProxy(service.port, ['cut-response', 503, 'cut-request']);
    const client = clientThrough(service, proxy.url);
    expect(await failureOf(client.putCategory(8n, 'Dogs'))).toMatchObject({ code: 'network' });
    expect(await client.deleteCategory(7n)).toBeUndefined();
    expect(await Array.fromAsync(service.client.categories())).toEqual([{ id: 8n, name: 'Dogs' }]);
  });
});

describe('the orders of a time', () => {
  it('are those from since on and before until, with the pet as sold', async () => {
    await using service = await openListeningService();
    const { client } = service;
    const { id } = await client.createPet({ name: 'Rex', categoryId: largest, status: 'sold' });
    await client.updatePet(id, { name: 'Max', categoryId: 1n });
    const [order] = (await client.listOrders()).orders;
    expect(order).toMatchObject({ petId: id, name: 'Rex', categoryId: largest });
    const { createdAt } = order!;
    const later = new Date(createdAt.getTime() + 1);
    expect((await client.listOrders({ since: createdAt, until: later })).orders).toEqual([order!]);
    expect(await Array.fromAsync(client.orders({ since: later }))).toEqual([]);
    expect(await Array.fromAsync(client.orders({ until: createdAt }))).toEqual([]);
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
