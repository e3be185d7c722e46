import { describe, expect, it } from 'bun:test';
import { openListeningService } from '../support/http/listening.ts';
import { openTemporarySqlite } from '../support/http/service.ts';

describe('a search whose caller closes the connection', () => {
  it('is reported to the store', async () => {
    const search = Promise.withResolvers<AbortSignal | undefined>();
    const left = Promise.withResolvers<void>();
    const openStore = async () => {
      const store = await openTemporarySqlite();
      const searchPets = (_request: unknown, signal?: AbortSignal) => {
        search.resolve(signal);
        signal?.addEventListener('abort', () => left.resolve());
        return left.promise.then(() => ({ json: '[]' }));
      };
      return { ...store, pets: { ...store.pets, searchPets } };
    };
    await using service = await openListeningService({ openStore });
    const caller = new AbortController();
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const response = fetch(`${service.url}/v1/pets/search?q=rex`, { headers, signal: caller.signal });
    const signal = await search.promise;
    expect(signal?.aborted).toBe(false);
    caller.abort();
    expect(await response.catch(({ name }: Error) => name)).toBe('AbortError');
    await left.promise;
  });
});
