import { describe, expect, it } from 'bun:test';
import { PetstoreError } from '../../src/domain/error.ts';
import { outcomeOf } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService, openTemporarySqlite } from '../support/http/service.ts';

describe('GET /readyz', () => {
  it('is 503 while the store cannot be read, and /livez is not', async () => {
    await using service = await openFailingService(new PetstoreError('unavailable', 'The disk is gone.'));
    expect(await outcomeOf(service.callAs(null, '/readyz'))).toBe('503 unavailable');
    expect(await outcomeOf(service.callAs(null, '/livez'))).toBe('200');
  });

  it('never writes', async () => {
    await using service = await openService({ openStore: openTemporarySqlite });
    const version = service.pets.version();
    expect(await outcomeOf(service.callAs(null, '/readyz'))).toBe('200');
    expect(service.pets.version()).toBe(version);
  });
});
