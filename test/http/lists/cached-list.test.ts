import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import type { PetStore } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/open.ts';
import { addPet, addPets } from '../../support/http/calls.ts';
import { openService, type Service, type ServiceOptions, type Store } from '../../support/http/service.ts';
import { makeSqlitePlace, type SqlitePlace } from '../../support/store-place.ts';

describe('a list from the cache', () => {
  let place: SqlitePlace;
  let services: Service[];
  beforeEach(async () => {
    place = await makeSqlitePlace();
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await place[Symbol.asyncDispose]();
  });

  /** A service on the file of the test, which counts how many pages are read from it. */
  async function open(options: ServiceOptions = {}): Promise<Service & { reads: () => number }> {
    let reads = 0;
    const openStore = async (): Promise<Store> => {
      const store = openSqliteStore({ path: place.path });
      const listPets: PetStore['listPets'] = (request) => {
        reads += 1;
        return store.pets.listPets(request);
      };
      return { ...store, pets: { ...store.pets, listPets } };
    };
    const service = { ...(await openService({ openStore, ...options })), reads: () => reads };
    services.push(service);
    return service;
  }

  const headersOf = ({ headers }: Response): [string, string][] =>
    [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));

  it('has the headers and the body of the first response', async () => {
    const { call, reads } = await open();
    await addPets(call, 3);
    for (const query of ['?limit=2', '?limit=3', '?limit=2&status=sold']) {
      const before = reads();
      const first = await call(`/v1/pets${query}`);
      const second = await call(`/v1/pets${query}`);
      expect(reads() - before).toBe(1);
      expect(headersOf(second)).toEqual(headersOf(first));
      expect(await second.text()).toBe(await first.text());
    }
  });

  it('has the request id, rate limit and origin of its own request', async () => {
    const origins = ['https://one.example', 'https://two.example'];
    const { call, reads } = await open({ rateLimit: 100, allowedOrigins: origins });
    await addPet(call);
    const left = new Set<string | null>();
    for (const origin of [...origins, ...origins]) {
      const id = crypto.randomUUID();
      const { headers } = await call('/v1/pets', { headers: { 'X-Request-Id': id, Origin: origin } });
      expect(headers.get('X-Request-Id')).toBe(id);
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
      left.add(headers.get('RateLimit'));
    }
    expect(left.size).toBe(4);
    expect((await call('/v1/pets')).headers.has('Access-Control-Allow-Origin')).toBe(false);
    expect(reads()).toBe(1);
  });
});
