import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, addPets, idsOf, outcomeOf, patch, post, rex, walkPages } from '../../support/http/calls.ts';
import { openService } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": deletePet. Its preconditions are those of updatePet. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

const remove = (id: string) => call(`/v1/pets/${id}`, { method: 'DELETE' });

describe('deletePet', () => {
  it('responds with 204 and no body', async () => {
    const response = await remove(await addPet(call));
    expect(response.status).toBe(204);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.text()).toBe('');
  });

  it('makes the pet a 404 everywhere', async () => {
    const id = await addPet(call, { ...rex, status: 'sold' });
    await call('/v1/pets?limit=100');
    await remove(id);
    expect(await outcomeOf(call(`/v1/pets/${id}`))).toBe('404 not_found');
    expect(await outcomeOf(remove(id))).toBe('404 not_found');
    expect(await outcomeOf(call(`/v1/pets/${id}`, patch({ name: 'Tom' })))).toBe('404 not_found');
    for (const query of ['?limit=100', '?limit=100&status=sold']) {
      expect((await walkPages(call, query)).flat()).not.toContain(id);
    }
  });

  it('never frees the id', async () => {
    const last = (await addPets(call, 3)).at(-1) ?? '';
    await remove(last);
    const next = await addPet(call);
    expect(BigInt(next)).toBeGreaterThan(BigInt(last));
  });

  it('is 404 for an id that cannot name a pet', async () => {
    for (const id of ['0', 'abc', '01', '1.0', '9223372036854775808']) {
      expect(await outcomeOf(remove(id))).toBe('404 not_found');
    }
  });

  it('lets the idempotency key of the create replay its first response', async () => {
    const headers = { 'Idempotency-Key': 'before-a-delete' };
    const first = await (await call('/v1/pets', post(rex, headers))).text();
    const [id = ''] = idsOf(first);
    await remove(id);
    const again = await call('/v1/pets', post(rex, headers));
    expect(again.status).toBe(201);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.headers.get('Location')).toBe(`/v1/pets/${id}`);
    expect(await again.text()).toBe(first);
    expect(await outcomeOf(call(`/v1/pets/${id}`))).toBe('404 not_found');
    expect(await outcomeOf(call('/v1/pets', post({ ...rex, name: 'Tom' }, headers)))).toBe(
      '422 idempotency_conflict',
    );
  });

  it('lets a walk continue after a deleted pet, and visit every other pet once', async () => {
    await using own = await openService();
    const ids = await addPets(own.call, 7);
    const first = await own.call('/v1/pets?limit=3');
    const [, query = ''] = /<([^>]+)>/.exec(first.headers.get('Link') ?? '') ?? [];
    for (const id of [ids[2], ids[4]]) {
      await own.call(`/v1/pets/${id}`, { method: 'DELETE' });
    }
    const rest = (await walkPages(own.call, query)).flat();
    expect(rest).toEqual([ids[3], ids[5], ids[6]] as string[]);
  });

  it('ignores a body', async () => {
    const id = await addPet(call);
    const init = { method: 'DELETE', body: '{', headers: { 'Content-Type': 'application/json' } };
    expect(await outcomeOf(call(`/v1/pets/${id}`, init))).toBe('204');
  });
});
