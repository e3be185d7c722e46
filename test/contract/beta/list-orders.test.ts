import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, idsOf, nextQuery, outcomeOf, patch, rex } from '../../support/http/calls.ts';
import { makeStorePlace } from '../../support/store-place.ts';
import { openService, type Service } from '../../support/http/service.ts';

/** `docs/decisions.md`, "Operations beyond the contract": listOrders. */

interface OrderBody {
  id: number;
  petId: number;
  status: string;
  createdAt: string;
  createdBy?: string;
}

const path = '/v1/store/orders';
const service = await openService();
const { call } = service;
afterAll(() => service.close());

const list = (query = '', headers = {}, to: Service = service) => to.call(`${path}${query}`, { headers });
const ordersOf = async (petId: string, to: Service = service): Promise<string[]> => {
  const statuses: string[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await list(query, {}, to);
    const page = (await response.json()) as OrderBody[];
    statuses.push(...page.filter((order) => String(order.petId) === petId).map(({ status }) => status));
    query = nextQuery(response);
  }
  return statuses;
};
const update = (id: string, body: object, to: Service = service) => to.call(`/v1/pets/${id}`, patch(body));

describe('an order', () => {
  it('has an int64 id, its pet, its status, a time in UTC and the name of the key', async () => {
    await using own = await openService();
    const before = Date.now();
    const id = await addPet(own.call, { ...rex, status: 'pending' });
    const [order] = (await (await list('', {}, own)).json()) as OrderBody[];
    expect(order).toEqual({
      id: expect.any(Number),
      petId: Number(id),
      ...rex,
      status: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      createdBy: 'API_KEYS',
    });
    // The clock of a database may differ a little from ours.
    expect(Math.abs(Date.parse(order!.createdAt) - before)).toBeLessThan(60_000);
  });

  it('is also written by a create with --stable-only', async () => {
    await using place = await makeStorePlace();
    let id = '';
    {
      await using off = await openService({ stableOnly: true, openStore: () => place.open() });
      id = await addPet(off.call, { ...rex, status: 'sold' });
    }
    await using on = await openService({ openStore: () => place.open() });
    expect(await ordersOf(id, on)).toEqual(['sold']);
    await update(id, { status: 'pending' }, on);
    expect(await ordersOf(id, on)).toEqual(['sold', 'pending']);
  });
});

describe('listOrders', () => {
  it('is a bare array, empty at first', async () => {
    await using own = await openService();
    const response = await list('', {}, own);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(await response.text()).toBe('[]');
  });

  it('has a Link that works, with only a query', async () => {
    for (let added = 0; added < 3; added++) await addPet(call, { ...rex, status: 'sold' });
    const response = await list('?limit=2&status=sold');
    expect(response.headers.get('Link')).toMatch(/^<\?limit=2&status=sold&cursor=\w+>; rel="next"$/);
    expect(await outcomeOf(list(nextQuery(response)))).toBe('200');
  });

  it('keeps its cursors apart from those of pets and of another status', async () => {
    for (let added = 0; added < 3; added++) await addPet(call, { ...rex, status: 'sold' });
    const cursorOf = (response: Response) => new URLSearchParams(nextQuery(response)).get('cursor');
    const ofOrders = cursorOf(await list('?limit=1&status=sold'));
    const ofPets = cursorOf(await call('/v1/pets?limit=1&status=sold'));
    expect(await outcomeOf(list(`?status=sold&cursor=${ofPets}`))).toBe('400 invalid_cursor');
    expect(await outcomeOf(list(`?status=pending&cursor=${ofOrders}`))).toBe('400 invalid_cursor');
    expect(await outcomeOf(list(`?cursor=${ofOrders}`))).toBe('400 invalid_cursor');
    expect(await outcomeOf(call(`/v1/pets?status=sold&cursor=${ofOrders}`))).toBe('400 invalid_cursor');
    const { message } = await errorOf(list('?cursor=x'));
    expect(message).toStartWith('The cursor is damaged or belongs to another query.');
  });

  it('refuses parameters as the list of pets does', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=',
      'limit=1&limit=1',
      'status=available',
      'status=',
    ]) {
      expect(await outcomeOf(list(`?${query}`))).toBe('400 invalid_parameter');
    }
    expect((await errorOf(list('?status=available'))).message).toBe(
      'status must be given once, as one of pending, sold.',
    );
    expect(await outcomeOf(list('?petId=1&x=y'))).toBe('200');
  });

  it.each([
    ['2026-11-18T09:00:00Z', '2026-11-18T09:00:00.000Z'],
    ['2026-11-18t09:00:00z', '2026-11-18T09:00:00.000Z'],
    ['2026-11-18T09:00:00.5Z', '2026-11-18T09:00:00.500Z'],
    ['2026-11-18T09:00:00.057000Z', '2026-11-18T09:00:00.057Z'],
    ['2026-11-18T09:00:00.0570001Z', '2026-11-18T09:00:00.058Z'],
    ['2026-11-18T10:30:00+01:30', '2026-11-18T09:00:00.000Z'],
    ['2026-11-17T19:00:00-14:00', '2026-11-18T09:00:00.000Z'],
    ['2026-11-18T09:00:00-00:00', '2026-11-18T09:00:00.000Z'],
  ])('finds orders from a time on, and those before it: %s', async (given, meant) => {
    let now = Date.parse(meant) - 1;
    await using place = await makeStorePlace();
    await using own = await openService({ openStore: () => place.open({ now: () => now }) });
    await addPet(own.call, { ...rex, status: 'sold' });
    now += 1;
    await addPet(own.call, { ...rex, status: 'sold' });
    const idsWith = async (query: Record<string, string>) =>
      idsOf(await (await list(`?${new URLSearchParams(query).toString()}`, {}, own)).text());
    expect(await idsWith({ since: given })).toEqual(['2']);
    expect(await idsWith({ until: given })).toEqual(['1']);
    expect(await idsWith({ since: given, until: given })).toEqual([]);
    expect(await idsWith({ since: '0000-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z' })).toEqual([
      '1',
      '2',
    ]);
  });

  it.each([
    ...['', 'today', '1794992400000', '2026-11-18', '2026-11-18T09:00:00', '2026-11-18 09:00:00Z'],
    ...['2026-11-18T09:00Z', '2026-11-18T09:00:00.Z', '2026-02-29T09:00:00Z', '2026-13-01T09:00:00Z'],
    ...['2026-11-18T24:00:00Z', '2026-11-18T09:60:00Z', '2026-11-18T23:59:60Z', '2026-11-18T09:00:00+25:00'],
    ...[
      '2026-11-18T09:00:00+0100',
      '2026-11-18T09:00:00 01:00',
      '+02026-11-18T09:00:00Z',
      ' 2026-11-18T09:00:00Z',
    ],
  ])('refuses a time that is not one of RFC 3339 with a zone: %p', async (value) => {
    for (const name of ['since', 'until']) {
      const refused = await errorOf(list(`?${name}=${encodeURIComponent(value)}`));
      expect(refused).toMatchObject({ status: 400, code: 'invalid_parameter' });
      expect(refused.message).toStartWith(`${name} must be given once, as a time with a zone`);
    }
  });

  it('refuses a time that is given twice, and binds a cursor to its times', async () => {
    const since = 'since=2020-01-01T00:00:00%2B00:00';
    expect(await outcomeOf(list(`?${since}&${since}`))).toBe('400 invalid_parameter');
    for (let added = 0; added < 3; added++) await addPet(call, { ...rex, status: 'sold' });
    const first = await list(`?limit=1&${since}`);
    const link = nextQuery(first) ?? '';
    expect(link).toContain(encodeURIComponent('2020-01-01T00:00:00+00:00'));
    const second = await list(link);
    expect(second.status).toBe(200);
    expect(idsOf(await second.text())).not.toEqual(idsOf(await first.text()));
    for (const other of [link.replace('2020', '2021'), link.replace('since', 'until')])
      expect(await outcomeOf(list(other))).toBe('400 invalid_cursor');
  });

  it('responds with 304 to its own ETag until an order is written', async () => {
    await addPet(call, { ...rex, status: 'sold' });
    for (const query of ['?limit=1', '?limit=100']) {
      const { headers } = await list(query);
      expect(headers.get('Cache-Control')).toBe('private, no-cache');
      const held = { 'If-None-Match': headers.get('ETag') ?? '' };
      const response = await list(query, held);
      expect(response.status).toBe(304);
      expect(response.headers.get('Link')).toBe(headers.get('Link'));
      expect(response.headers.get('Petstore-Stability')).toBe('beta');
      expect(await outcomeOf(list(query, { 'If-Match': '"x"' }))).toBe('412 precondition_failed');
    }
    const before = (await list('?limit=100')).headers.get('ETag') ?? '';
    await addPet(call, { ...rex, status: 'pending' });
    expect(await outcomeOf(list('?limit=100', { 'If-None-Match': before }))).toBe('200');
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const [get, head] = [await list(), await call(path, { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag'));
    expect(await head.text()).toBe('');
  });
});
