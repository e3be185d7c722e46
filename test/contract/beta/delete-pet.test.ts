import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, outcomeOf, patch, rex, walkPages } from '../../support/http/calls.ts';
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

  it('is 404 for an id that cannot name a pet', async () => {
    for (const id of ['0', 'abc', '01', '1.0', '9223372036854775808']) {
      expect(await outcomeOf(remove(id))).toBe('404 not_found');
    }
  });

  it('ignores a body', async () => {
    const id = await addPet(call);
    const init = { method: 'DELETE', body: '{', headers: { 'Content-Type': 'application/json' } };
    expect(await outcomeOf(call(`/v1/pets/${id}`, init))).toBe('204');
  });
});
