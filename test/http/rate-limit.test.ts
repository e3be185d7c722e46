import { describe, expect, it } from 'bun:test';
import { openService } from '../support/http/service.ts';

describe('the rate limit', () => {
  it('is off unless the operator sets one', async () => {
    await using service = await openService();
    const { headers } = await service.call('/v1/pets');
    expect(headers.has('RateLimit')).toBe(false);
    expect(headers.has('RateLimit-Policy')).toBe(false);
  });

  it('counts down, refuses with 429 and Retry-After, and starts again after a minute', async () => {
    let time = 1_000_000;
    await using service = await openService({ rateLimit: 2, now: () => time });
    const call = async () => {
      const { status, headers } = await service.call('/v1/pets');
      expect(headers.get('RateLimit-Policy')).toBe('"default";q=2;w=60');
      return [status, headers.get('RateLimit'), headers.get('Retry-After')];
    };
    expect(await call()).toEqual([200, '"default";r=1;t=60', null]);
    time += 20_500;
    expect(await call()).toEqual([200, '"default";r=0;t=40', null]);
    expect(await call()).toEqual([429, '"default";r=0;t=40', '40']);
    time += 39_500;
    expect(await call()).toEqual([200, '"default";r=1;t=60', null]);
  });

  it('counts each key separately, with unknown paths and methods', async () => {
    await using service = await openService({ rateLimit: 1, apiKeys: ['one', 'other'] });
    expect((await service.callAs('Bearer one', '/v1/unknown')).status).toBe(404);
    expect((await service.callAs('Bearer one', '/v1/pets', { method: 'PUT' })).status).toBe(429);
    expect((await service.callAs('Bearer other', '/v1/pets')).status).toBe(200);
  });

  it('does not count callers without a valid key, nor the open paths', async () => {
    await using service = await openService({ rateLimit: 1 });
    for (const authorization of [null, 'Bearer wrong']) {
      for (let count = 0; count < 3; count++) {
        expect((await service.callAs(authorization, '/v1/pets')).status).toBe(401);
      }
    }
    for (let count = 0; count < 3; count++) expect((await service.callAs(null, '/livez')).status).toBe(200);
    expect((await service.call('/v1/pets')).status).toBe(200);
  });

  it('is not held up by a clock that was set back', async () => {
    let time = 86_400_000;
    await using service = await openService({ rateLimit: 1, now: () => time });
    expect((await service.call('/v1/pets')).status).toBe(200);
    time = 0;
    expect((await service.call('/v1/pets')).status).toBe(200);
  });
});
