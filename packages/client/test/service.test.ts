import { afterAll, describe, expect, it } from 'bun:test';
import { createClient, isInvalidPet, problemsOf, type NewPet, type PetChanges } from '../src/index.ts';
import { renderNewPet } from '../src/pet.ts';
import { failureOf } from '../../../test/support/failure.ts';
import { openListeningService } from '../../../test/support/http/listening.ts';
import { patch, post } from '../../../test/support/http/calls.ts';

const largest = 2n ** 63n - 1n;

const shared = await openListeningService();
afterAll(() => shared[Symbol.asyncDispose]());

describe('the beta operations', () => {
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
    expect(await client.getCategory(largest)).toEqual({ id: largest, name: 'Cats', etag: etag! });
    const cats = { id: largest, name: 'Cats' };
    expect(await Array.fromAsync(client.categories())).toEqual([{ id: -largest, name: 'Birds' }, cats]);
    const { categories, next } = await client.listCategories({ limit: 1 });
    expect(categories).toEqual([{ id: -largest, name: 'Birds' }]);
    expect(await client.listCategories({ next })).toEqual({ categories: [cats] });
    await client.deleteCategory(largest, { ifMatch: etag });
    expect(await failureOf(client.deleteCategory(largest))).toMatchObject({ code: 'not_found' });
    expect(await failureOf(client.getCategory(largest))).toMatchObject({
      ...{ code: 'not_found', message: 'No category has this id.' },
    });
  });
});

describe('getKey', () => {
  it('describes the key', async () => {
    expect(await shared.client.getKey()).toEqual({ name: 'API_KEYS', readOnly: false, mayDelete: true });
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

const invalidPets: [Partial<Record<keyof NewPet, unknown>>, (keyof NewPet)[]][] = [
  [{ name: 'a\0' }, ['name']],
  [{ name: '\ud83d' }, ['name']],
  [{ name: '\udc15\ud83d' }, ['name']],
  [{ categoryId: 2n ** 63n }, ['categoryId']],
  [{ categoryId: -(2n ** 63n) - 1n }, ['categoryId']],
  [{ status: 'lost' }, ['status']],
  [{ status: '' }, ['status']],
  [{ name: '\0', categoryId: 2n ** 64n, status: 'Sold' }, ['name', 'categoryId', 'status']],
];
const validPets: Partial<NewPet>[] = [
  { name: '' },
  { name: '🐕‍🦺\u0007' },
  { categoryId: -(2n ** 63n) },
  { categoryId: 2n ** 63n - 1n },
  { status: 'pending' },
];

it('problemsOf finds exactly the pets that the service refuses, by field', async () => {
  const cases = [...invalidPets, ...validPets.map((pet) => [pet, []] as const)];
  for (const [change, fields] of cases) {
    const pet = { name: 'Rex', categoryId: 1n, ...change } as NewPet;
    const body = renderNewPet(pet);
    expect(Object.keys(problemsOf(pet)), body).toEqual([...fields]);
    expect((await shared.call('/v1/pets', post(body))).status, body).toBe(fields.length > 0 ? 400 : 201);
  }
});
