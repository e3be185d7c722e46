import { describe, expect, it } from 'bun:test';
import { PetstoreError, statusOfCode } from '../../src/domain/error.ts';
import { errorOf, outcomeOf, patch, post, rex } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openapi } from '../support/contract/openapi.ts';

/** Responses of a service whose store fails. */

describe('an error body', () => {
  it('has no stack, no SQL and no version, even if the store fails', async () => {
    const secret = new Error('SELECT * FROM pets failed at /srv/petstore/src/x.ts:1:2 (SQLite 3.53)');
    await using failing = await openFailingService(secret);
    const asked: [string, RequestInit?][] = [
      ['/v1/pets'],
      ['/v1/pets/1'],
      ['/v1/pets', post(rex)],
      ['/v1/pets/1', patch({ name: 'Tom' })],
      ['/v1/pets/1', { method: 'DELETE' }],
      ['/v1/store/orders'],
      ['/readyz'],
    ];
    for (const [path, init] of asked) {
      const response = await failing.call(path, init);
      const shown = JSON.stringify([...response.headers]) + (await response.clone().text());
      expect(await outcomeOf(response)).toBe('500 internal');
      expect(shown).not.toMatch(/SELECT|sqlite|\.ts|stack|Error:|bun\/|\d+\.\d+\.\d+/i);
    }
  });

  it('comes with Retry-After if the store cannot be used', async () => {
    for (const code of ['unavailable', 'overloaded'] as const) {
      await using failing = await openFailingService(new PetstoreError(code, 'Not now.'));
      const response = await failing.call('/v1/pets', post(rex));
      expect(response.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
      expect(await errorOf(response)).toEqual({ code, message: 'Not now.', status: 503 });
    }
  });

  it('has one of the codes that the document lists', () => {
    expect(openapi.components.schemas['Error']?.properties?.['code']?.['x-extensible-enum']).toEqual(
      Object.keys(statusOfCode),
    );
  });
});
