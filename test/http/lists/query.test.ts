import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { Query } from '../../../src/http/lists/paging.ts';

/** Compares the values of all names in a query, and of some that may not be in it. */
function expectAsUrlSearchParams(query: string): void {
  const expected = new URLSearchParams(query);
  const names = new Set([...expected.keys(), ...expected.values(), '', 'limit', 'q']);
  for (const path of ['http://localhost/v1/pets', '/v1/pets']) {
    const parsed = new Query(path + query);
    for (const name of names) {
      expect(parsed.get(name)).toBe(expected.has(name) ? expected.getAll(name).join('\0') : undefined);
    }
  }
}

describe('a query', () => {
  it.each([
    '',
    '?',
    '??limit=1',
    '?limit=1&limit=2&&limit',
    '?=1&=&=2&&',
    '?limit==1=2',
    '?limit=%31%30&%6Cimit=3&l+m=+4%2B',
    '?q=%C3%A9%F0%9F%90%BE&q=é🐾',
    '?q=%ff%C3&q=%ED%A0%80&q=%F0%9F&q=%EF%BB%BFa',
    '?q=%&q=%4&q=%zz&q=%%34&q=%00',
    '?q=#1;2?3/4&a%3Db=c%26d',
  ])('is read as by URLSearchParams: %j', (query) => {
    expectAsUrlSearchParams(query);
  });

  it('is read as by URLSearchParams, whatever it contains', () => {
    const byte = fc.integer({ min: 0, max: 255 }).map((value) => `%${value.toString(16).padStart(2, '0')}`);
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('limit', 'status', 'cursor', 'q', 'é', '20', 'sold', '-') },
      { weight: 4, arbitrary: fc.constantFrom('&', '=', '+', '%', '%2', '%2B', '%26', '%3d', '?', '#', ';') },
      { weight: 2, arbitrary: byte },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    );
    const query = fc.array(piece, { maxLength: 30 }).map((pieces) => `?${pieces.join('')}`);
    fc.assert(fc.property(query, expectAsUrlSearchParams), { numRuns: 5000 });
  });
});
