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
