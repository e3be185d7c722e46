import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../src/domain/error.ts';
import { outcomeOf, post, rex } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService, openTemporarySqlite } from '../support/http/service.ts';

describe('GET /readyz', () => {
  it('is 503 from the moment the service is told to stop, while calls are still served', async () => {
    let isStopping = false;
    await using service = await openService({ isStopping: () => isStopping });
    expect(await outcomeOf(service.callAs(null, '/readyz'))).toBe('200');
    isStopping = true;
    expect(await outcomeOf(service.callAs(null, '/readyz'))).toBe('503 unavailable');
    expect(await outcomeOf(service.callAs(null, '/livez'))).toBe('200');
    const created = await service.call('/v1/pets', post(rex));
    expect(created.status).toBe(201);
    // The caller connects again, to a replica that stays.
    expect(created.headers.get('Connection')).toBe('close');
  });

  it('is 503 while the store cannot be written, and /livez is not', async () => {
    await using service = await openFailingService(new PetstoreError('unavailable', 'The disk is full.'));
    expect(await outcomeOf(service.callAs(null, '/readyz'))).toBe('503 unavailable');
    expect(await outcomeOf(service.callAs(null, '/livez'))).toBe('200');
  });

  it('checks the store once for all probes that wait at once', async () => {
    let checks = 0;
    const checked = Promise.withResolvers<void>();
    const checkWritable = () => {
      checks++;
      return checked.promise;
    };
    const openStore = async () => {
      const store = await openTemporarySqlite();
      return { ...store, pets: { ...store.pets, checkWritable } };
    };
    await using service = await openService({ openStore });
    const probe = () => outcomeOf(service.callAs(null, '/readyz'));
    const probes = [probe(), probe(), probe()];
    await Bun.sleep(1);
    expect(checks).toBe(1);
    checked.resolve();
    expect(await Promise.all(probes)).toEqual(['200', '200', '200']);
    await probe();
    expect(checks).toBe(2);
  });
});
