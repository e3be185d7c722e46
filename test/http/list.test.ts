import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { nextLink, orderList, parseListQuery, petList } from '../../src/http/list.ts';
import { parametersOf } from '../../src/http/parameters.ts';
import { orderStatuses } from '../../src/domain/history.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { holds } from '../support/property.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const status = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });
const limit = fc.integer({ min: 1, max: 100 });

const addressOf = (link: string | undefined) => `http://petstore/v1/pets${/<([^>]+)>/.exec(link ?? '')?.[1]}`;

describe('nextLink and parseListQuery', () => {
  it('agree on every cursor, filter and limit', async () => {
    await holds(
      fc.asyncProperty(limit, status, int64, async (size, filter, place) => {
        const request = { limit: size, ...(filter && { status: filter }) };
        const link = nextLink(request, { json: '[]', next: place }, petList);
        expect(parseListQuery(addressOf(link), petList)).toEqual({ ...request, after: place });
      }),
      500,
    );
  });

  it('keep the cursors of pets and orders apart', async () => {
    const orderStatus = fc.option(fc.constantFrom(...orderStatuses), { nil: undefined });
    await holds(
      fc.asyncProperty(orderStatus, int64, async (filter, place) => {
        const request = { limit: 5, ...(filter && { status: filter }) };
        const page = { json: '[]', next: place };
        const ofPets = addressOf(nextLink(request, page, petList));
        const ofOrders = addressOf(nextLink(request, page, orderList));
        expect(parseListQuery(ofOrders, orderList)).toEqual({ ...request, after: place });
        expect(() => parseListQuery(ofOrders, petList)).toThrow('damaged or belongs to another status');
        expect(() => parseListQuery(ofPets, orderList)).toThrow('belongs to another query');
      }),
      300,
    );
  });

  it('bind a cursor to the parameters of its list', () => {
    const query = parseListQuery('/v1/store/orders?limit=1&since=2020-01-01T00:00:00%2B01:00', orderList);
    const link = addressOf(nextLink(query, { json: '[]', next: 7n }, orderList));
    expect(link).toContain(`since=${encodeURIComponent('2020-01-01T00:00:00+01:00')}&cursor=`);
    expect(parseListQuery(link, orderList)).toEqual({ ...query, after: 7n });
    for (const other of [link.replace('2020', '2021'), link.replace('since', 'until')])
      expect(() => parseListQuery(other, orderList)).toThrow('belongs to another query');
  });
});

describe('parametersOf', () => {
  it('reads a query as URLSearchParams does', async () => {
    const text = fc.constantFrom(
      'limit',
      'q',
      'é',
      '20',
      '&',
      '=',
      '+',
      '%',
      '%2',
      '%2B',
      '?',
      '#',
      ';',
      '%ff',
    );
    await holds(
      fc.asyncProperty(fc.array(text, { maxLength: 20 }), async (pieces) => {
        const query = pieces.join('');
        const expected = new URLSearchParams(`?${query}`);
        for (const name of ['limit', 'q', 'é', '20'])
          expect(parametersOf(`/v1/pets?${query}`).get(name)).toBe(
            expected.has(name) ? expected.getAll(name).join('\0') : undefined,
          );
      }),
      2000,
    );
  });
});

describe('a time in a query', () => {
  const parse = (name: string, value: string) =>
    parseListQuery(`/v1/store/orders?${new URLSearchParams({ [name]: value }).toString()}`, orderList);
  const nine = Date.parse('2026-11-18T09:00:00Z');

  it.each([
    ['0000-01-01T00:00:00Z', Date.parse('0000-01-01T00:00:00Z')],
    ['2026-11-18T09:00:00Z', nine],
    ['2026-11-18t09:00:00z', nine],
    ['2026-11-18T10:30:00+01:30', nine],
    ['2026-11-17T19:00:00-14:00', nine],
    ['2026-11-18T09:00:00-00:00', nine],
    ['2026-11-18T09:00:00.057000Z', nine + 57],
    ['2026-11-18T09:00:00.0570001Z', nine + 58],
    ['2026-11-18T09:00:00.5Z', nine + 500],
  ])('is one of RFC 3339, rounded up to milliseconds: %p', (value, time) => {
    expect([parse('since', value).since, parse('until', value).until]).toEqual([time, time]);
  });

  it.each([
    ...['', 'today', '1794992400000', '2026-11-18', '2026-11-18T09:00:00', '2026-11-18 09:00:00Z'],
    ...['2026-11-18T09:00Z', '2026-11-18T09:00:00.Z', '2026-02-29T09:00:00Z', '2026-13-01T09:00:00Z'],
    ...['2026-11-18T24:00:00Z', '2026-11-18T09:60:00Z', '2026-11-18T23:59:60Z', '2026-11-18T09:00:00+25:00'],
    ...['2026-11-18T09:00:00+0100', '2026-11-18T09:00:00 01:00', '+02026-11-18T09:00:00Z'],
    ' 2026-11-18T09:00:00Z',
  ])('is refused without a zone or in another form: %p', (value) => {
    for (const name of ['since', 'until'])
      expect(() => parse(name, value)).toThrow(`${name} must be given once, as a time with a zone`);
  });
});
