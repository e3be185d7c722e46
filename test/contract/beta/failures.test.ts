import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../../src/domain/error.ts';
import { errorOf, outcomeOf, patch } from '../../support/http/calls.ts';
import { openFailingService } from '../../support/http/failing-service.ts';
import { openService } from '../../support/http/service.ts';

/** What the beta operations respond when the store fails, and when a key asks too often. */

const operations: [string, string, RequestInit][] = [
  ['updatePet', '/v1/pets/1', patch({ name: 'Tom' })],
  ['updatePet with If-Match', '/v1/pets/1', patch({ name: 'Tom' }, { 'If-Match': '"x"' })],
  ['deletePet', '/v1/pets/1', { method: 'DELETE' }],
  ['listOrders', '/v1/store/orders', {}],
];

describe.each(operations)('%s', (_name, path, init) => {
  it('is 503 with Retry-After while the store cannot be used, like a create', async () => {
    for (const code of ['unavailable', 'overloaded'] as const) {
      await using failing = await openFailingService(new PetstoreError(code, 'Not now.'), {});
      const response = await failing.call(path, init);
      expect(response.headers.get('Retry-After')).toBe('1');
      expect(response.headers.get('Petstore-Stability')).toBe('beta');
      expect(await errorOf(response)).toEqual({ code, message: 'Not now.', status: 503 });
    }
  });

  it('is 500 without details if the store fails in another way', async () => {
    await using failing = await openFailingService(new Error('SELECT failed'));
    const response = await failing.call(path, init);
    expect(response.headers.get('Petstore-Stability')).toBe('beta');
    const text = await response.clone().text();
    expect(text).not.toContain('SELECT');
    expect(await outcomeOf(response)).toBe('500 internal');
  });

  it('counts against the rate limit of the key', async () => {
    await using limited = await openService({ requestsPerMinute: 2 });
    await limited.call('/v1/pets');
    const first = await limited.call(path, init);
    expect(first.headers.get('RateLimit')).toStartWith('"default";r=0;');
    expect(await outcomeOf(limited.call(path, init))).toBe('429 rate_limited');
    expect(await outcomeOf(limited.call('/v1/pets'))).toBe('429 rate_limited');
  });
});
