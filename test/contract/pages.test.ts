import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addPet, addPets, idsOf, nextQuery, outcomeOf, rex, walkPages } from '../support/http/calls.ts';
import { openService, type Service } from '../support/http/service.ts';

/** `docs/decisions.md`, "Responses": order and pages. */

let service: Service;
let call: Service['call'];
let allIds: string[];
let soldIds: string[];

const statuses = ['available', 'sold', undefined, 'pending', 'sold'] as const;

beforeAll(async () => {
  service = await openService();
  ({ call } = service);
  allIds = [];
  soldIds = [];
  for (let index = 0; index < 25; index++) {
    const status = statuses[index % statuses.length];
    const id = await addPet(call, { ...rex, status });
    allIds.push(id);
    if (status === 'sold') soldIds.push(id);
  }
});
afterAll(() => service.close());

describe('a list', () => {
  it('is in ascending order of id', async () => {
    expect(idsOf(await (await call('/v1/pets?limit=100')).text())).toEqual(allIds);
    expect(allIds).toEqual(allIds.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)));
  });

  it('is a bare array on every page', async () => {
    for (const query of ['', '?limit=7', '?limit=100', '?status=sold&limit=1']) {
      expect(await (await call(`/v1/pets${query}`)).json()).toBeArray();
    }
  });

  it('has a query-only Link to the next page if more follow', async () => {
    const response = await call('/v1/pets?limit=7');
    expect(response.headers.get('Link')).toMatch(/^<\?limit=7&cursor=[\w-]+>; rel="next"$/);
    const filtered = await call('/v1/pets?limit=2&status=sold');
    expect(filtered.headers.get('Link')).toMatch(/^<\?limit=2&status=sold&cursor=[\w-]+>; rel="next"$/);
    expect((await call('/v1/pets')).headers.get('Link')).toStartWith('<?limit=20&cursor=');
  });

  it('has a Link that is relative to the requested address', async () => {
    const asked = 'http://petstore.example/v1/pets?limit=7';
    const next = new URL(nextQuery(await call('/v1/pets?limit=7')) ?? '', asked);
    expect(next.pathname).toBe('/v1/pets');
    expect(idsOf(await (await call(next.pathname + next.search)).text())).toEqual(allIds.slice(7, 14));
  });

  it('has a Link only if more follow', async () => {
    for (const [query, hasNext] of [
      ['?limit=24', true],
      ['?limit=25', false],
      ['?limit=26', false],
      ['?status=sold&limit=9', true],
      ['?status=sold&limit=10', false],
    ] as const) {
      expect((await call(`/v1/pets${query}`)).headers.has('Link')).toBe(hasNext);
    }
  });

  it('has full pages up to the last, which is not empty', async () => {
    const sizes = async (query: string) => (await walkPages(call, query)).map(({ length }) => length);
    expect(await sizes('?limit=7')).toEqual([7, 7, 7, 4]);
    expect(await sizes('?limit=5')).toEqual([5, 5, 5, 5, 5]);
    expect(await sizes('?limit=5&status=sold')).toEqual([5, 5]);
  });

  it('shows a walk every pet exactly once, for every limit', async () => {
    for (const limit of [1, 2, 3, 7, 20, 24, 25, 26, 100]) {
      expect((await walkPages(call, `?limit=${limit}`)).flat()).toEqual(allIds);
      expect((await walkPages(call, `?limit=${limit}&status=sold`)).flat()).toEqual(soldIds);
    }
  });

  it('shows a walk every pet that existed when it began, whatever is added meanwhile', async () => {
    await using own = await openService();
    const atStart = await addPets(own.call, 10);
    const seen: string[] = [];
    let query: string | undefined = '?limit=3';
    for (let page = 0; query !== undefined && page < 20; page++) {
      const response: Response = await own.call(`/v1/pets${query}`);
      seen.push(...idsOf(await response.text()));
      query = nextQuery(response);
      if (page < 5) await addPets(own.call, 2);
    }
    expect(query).toBeUndefined();
    expect(seen.filter((id) => atStart.includes(id))).toEqual(atStart);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('gives the last page a Link once more follow', async () => {
    await using own = await openService();
    await addPets(own.call, 2);
    const last = await own.call('/v1/pets?limit=2');
    expect(last.headers.has('Link')).toBe(false);
    const added = await addPet(own.call);
    const grown = await own.call('/v1/pets?limit=2', {
      headers: { 'If-None-Match': last.headers.get('ETag') ?? '' },
    });
    expect(grown.status).toBe(200);
    expect(idsOf(await (await own.call(`/v1/pets${nextQuery(grown)}`)).text())).toEqual([added]);
  });
});

describe('a cursor', () => {
  const cursorAfter = async (query: string): Promise<string> =>
    new URLSearchParams(nextQuery(await call(`/v1/pets${query}`))).get('cursor') ?? '';

  it('allows another limit on the next page', async () => {
    const cursor = await cursorAfter('?limit=7');
    for (const limit of [1, 9, 100]) {
      const text = await (await call(`/v1/pets?limit=${limit}&cursor=${cursor}`)).text();
      expect(idsOf(text)).toEqual(allIds.slice(7, 7 + limit));
    }
    expect(idsOf(await (await call(`/v1/pets?cursor=${cursor}`)).text())).toEqual(allIds.slice(7));
  });

  it('is opaque and shows neither an id nor a status', async () => {
    expect(await cursorAfter('?limit=2&status=sold')).not.toMatch(/sold|\./);
  });

  it('is refused with another status or without its own', async () => {
    const unfiltered = await cursorAfter('?limit=3');
    const ofSold = await cursorAfter('?limit=3&status=sold');
    for (const query of [
      `?cursor=${ofSold}`,
      `?status=pending&cursor=${ofSold}`,
      `?status=sold&cursor=${unfiltered}`,
    ]) {
      expect(await outcomeOf(call(`/v1/pets${query}`))).toBe('400 invalid_cursor');
    }
    expect(await outcomeOf(call(`/v1/pets?status=sold&cursor=${ofSold}`))).toBe('200');
  });

  it('is refused if any single character is changed', async () => {
    const cursor = await cursorAfter('?limit=3');
    for (let place = 0; place < cursor.length; place++) {
      for (const character of ['A', 'x', '9', '_']) {
        if (cursor[place] === character) continue;
        const damaged = cursor.slice(0, place) + character + cursor.slice(place + 1);
        expect(await outcomeOf(call(`/v1/pets?cursor=${damaged}`))).toBe('400 invalid_cursor');
      }
    }
  });

  it('is refused if it is cut short or lengthened', async () => {
    const cursor = await cursorAfter('?limit=3');
    const spoilt = Array.from(cursor, (_, length) => cursor.slice(0, length));
    for (const damaged of [
      ...spoilt,
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}==`,
      `${cursor}%20`,
      `%20${cursor}`,
    ]) {
      expect(await outcomeOf(call(`/v1/pets?cursor=${damaged}`))).toBe('400 invalid_cursor');
    }
  });

  it('is refused if the service never made it', async () => {
    const ofVersion2 = Buffer.from('2..3.abc').toString('base64url');
    const unsigned = Buffer.from('1..3').toString('base64url');
    for (const foreign of [
      '',
      '3',
      'abc',
      'null',
      ofVersion2,
      unsigned,
      '%00',
      '%F0%9F%90%88',
      'A'.repeat(5000),
    ]) {
      expect(await outcomeOf(call(`/v1/pets?cursor=${foreign}`))).toBe('400 invalid_cursor');
    }
  });

  it('is refused if it is given twice', async () => {
    const cursor = await cursorAfter('?limit=3');
    expect(await outcomeOf(call(`/v1/pets?cursor=${cursor}&cursor=${cursor}`))).toBe('400 invalid_cursor');
  });

  it('stays good while pets are added', async () => {
    await using own = await openService();
    await addPets(own.call, 3);
    const query = nextQuery(await own.call('/v1/pets?limit=2'));
    const added = await addPets(own.call, 3);
    expect(idsOf(await (await own.call(`/v1/pets${query}`)).text())).toContain(added[0] ?? '');
  });
});
