import { afterAll, describe, expect, it } from 'bun:test';
import { addPet, errorOf, idsOf, nextQuery, outcomeOf, patch, rex } from '../../support/http/calls.ts';
import { makeStorePlace } from '../../support/store-place.ts';
import { openService, type Service } from '../../support/http/service.ts';

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
  it('finds orders from a time on, and those before it', async () => {
    const at = (time: string) => Date.parse(`2026-11-18T${time}Z`);
    let now = 0;
    await using place = await makeStorePlace();
    await using own = await openService({ openStore: () => place.open({ now: () => now }) });
    for (const time of ['08:59:59.999', '09:00:00.000', '09:00:00.056', '09:00:00.057', '09:00:00.058']) {
      now = at(time);
      await addPet(own.call, { ...rex, status: 'sold' });
    }
    const idsWith = async (query: Record<string, string>) =>
      idsOf(await (await list(`?${new URLSearchParams(query).toString()}`, {}, own)).text()).map(Number);
    const times: [given: string, first: number][] = [
      ['0000-01-01T00:00:00Z', 1],
      ['2026-11-18T09:00:00Z', 2],
      ['2026-11-18t09:00:00z', 2],
      ['2026-11-18T10:30:00+01:30', 2],
      ['2026-11-17T19:00:00-14:00', 2],
      ['2026-11-18T09:00:00-00:00', 2],
      ['2026-11-18T09:00:00.057000Z', 4],
      ['2026-11-18T09:00:00.0570001Z', 5],
      ['2026-11-18T09:00:00.5Z', 6],
      ['9999-12-31T23:59:59Z', 6],
    ];
    const ids = [1, 2, 3, 4, 5];
    for (const [given, first] of times) {
      expect(await idsWith({ since: given }), given).toEqual(ids.slice(first - 1));
      expect(await idsWith({ until: given }), given).toEqual(ids.slice(0, first - 1));
      expect(await idsWith({ since: given, until: given }), given).toEqual([]);
    }
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

  it('binds a cursor to its times', async () => {
    const since = 'since=2020-01-01T00:00:00%2B00:00';
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
});
