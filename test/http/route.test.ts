import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { createRouter, pathOf } from '../../src/http/route.ts';
import { holds } from '../support/property.ts';

const findRoute = createRouter({
  '/pets': 'pets',
  '/': 'home',
  '/pets/:id': 'pet',
  '/assets/:file': 'asset',
});
/** A request target has no fragment, so a # is a character of its path or query. */
const targetOf = (address: string) => {
  const { href, pathname } = new URL(address.replaceAll('#', '%23'));
  return { href: href.replaceAll('%23', '#'), pathname: pathname.replaceAll('%23', '#') };
};
const find = (path: string) => {
  const match = findRoute(path);
  return match && [match.target, match.parameter];
};

describe('Router', () => {
  it.each([
    ['/', ['home', undefined]],
    ['/pets', ['pets', undefined]],
    ['/%70ets', ['pets', undefined]],
    ['/pets/1', ['pet', '1']],
    ['/pets/%31', ['pet', '1']],
    ['/pets/a%2Fb', ['pet', 'a%2Fb']],
    ['/pets/%', ['pet', '%']],
    ['/assets/console.js', ['asset', 'console.js']],
  ])('finds %s', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  it.each(['', '/pets/', '/pets/1/', '/pets/1/2', '/pet', '/PETS', '//pets', '/assets', '/:id', '/%ZZ'])(
    'does not find %p',
    (path) => {
      expect(find(path)).toBeUndefined();
    },
  );
});

describe('Router', () => {
  it('ignores everything but the path of an address', async () => {
    const part = fc.string({ unit: fc.constantFrom('/pets', '/', '?', '#', '1', '%70', 'a') });
    await holds(
      fc.asyncProperty(part, async (rest) => {
        const { href, pathname } = targetOf(`http://h/pets${rest}`);
        expect(find(href)).toEqual(find(pathname));
        expect(find(`/pets${rest}`)).toEqual(find(href));
      }),
      500,
    );
  });
});

describe('pathOf', () => {
  it('agrees with URL, for every path and query', async () => {
    const part = fc.string({ unit: fc.constantFrom(...Array.from('abc/?#=&%20.:@')) });
    await holds(
      fc.asyncProperty(part, async (rest) => {
        const { href, pathname } = targetOf(`http://localhost:1234/${rest}`);
        expect(pathOf(href)).toBe(pathname);
      }),
      500,
    );
  });

  it('accepts an address without a host, as in HTTP/1.0', () => {
    expect(pathOf('/v1/pets?limit=1')).toBe('/v1/pets');
    expect(pathOf('/v1/pets#x?limit=1')).toBe('/v1/pets#x');
  });
});
