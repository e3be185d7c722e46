import { parseExactJson, renderExactJson } from '../../conform/exact-json.ts';
import { nextQuery } from '../../conform/walk.ts';
import { editPage, editParameter, editRequest, readPageOf, withBody, withUrl, type Fields } from '../edit.ts';
import type { Fetch, MutantDefinition, Wrap } from '../mutant.ts';

/** The form of a list and its limit. */
export const limitMutants: readonly MutantDefinition[] = [
  {
    number: 1,
    name: 'limit-one-more',
    description: 'A page has up to one pet more than limit allows.',
    wrap: readPageOf((limit) => Math.min(limit + 1, 100)),
  },
  {
    number: 2,
    name: 'limit-one-fewer',
    description: 'A page has one pet fewer than limit allows, although more follow.',
    wrap: readPageOf((limit) => Math.max(limit - 1, 1)),
  },
  {
    number: 3,
    name: 'limit-ignored',
    description: 'A page has up to 20 pets, whatever limit says.',
    wrap: readPageOf(() => 20),
  },
  {
    number: 4,
    name: 'limit-default-10',
    description: 'Without limit, a page has up to 10 pets instead of 20.',
    wrap: defaultLimit(10),
  },
  {
    number: 6,
    name: 'limit-at-most-50',
    description: 'A limit past 50 is served as 50.',
    wrap: readPageOf((limit) => Math.min(limit, 50)),
  },
  {
    number: 7,
    name: 'limit-101-served',
    description: 'limit=101 returns up to 101 pets.',
    wrap: serve101,
  },
  {
    number: 8,
    name: 'limit-101-clamped',
    breaks: 'strict',
    description: 'A limit past 100 is served as 100 instead of refused.',
    wrap: editParameter('limit', (limit) => (Number(limit) > 100 ? '100' : limit)),
  },
  {
    number: 9,
    name: 'limit-0-accepted',
    breaks: 'strict',
    description: 'limit=0 is served as 20 instead of refused.',
    wrap: editParameter('limit', (limit) => (limit === '0' ? '20' : limit)),
  },
  {
    number: 10,
    name: 'limit-text-accepted',
    breaks: 'strict',
    description: 'A limit that is not a number is served as 20 instead of refused.',
    wrap: editParameter('limit', (limit) => (Number.isNaN(Number(limit)) ? '20' : limit)),
  },
  {
    number: 12,
    name: 'limit-given-twice',
    breaks: 'strict',
    description: 'Of two limits, the first counts; both should be refused.',
    wrap: editRequest((request) =>
      withUrl(request, ({ searchParams }) => {
        const limit = searchParams.get('limit');
        if (limit !== null) searchParams.set('limit', limit);
      }),
    ),
  },
  {
    number: 13,
    name: 'limit-100-refused',
    description: 'limit=100 is refused, as if the largest limit were 99.',
    wrap: editParameter('limit', (limit) => (limit === '100' ? '101' : limit)),
  },
];

export const listMutants: readonly MutantDefinition[] = [
  {
    number: 23,
    name: 'list-in-object',
    description: 'A list is an object with the array in it, not a bare array.',
    wrap: editPage((pets) => ({ pets })),
  },
  {
    number: 24,
    name: 'list-descending',
    breaks: 'strict',
    description: 'A page has its pets in descending order of id.',
    wrap: editPage((pets) => pets.toReversed()),
  },
  {
    number: 25,
    name: 'list-repeats-first',
    description: 'The second pet of a page is the first one again.',
    wrap: editPage((pets) => {
      const [first, second, ...others] = pets;
      return second ? [first, first, ...others] : pets;
    }),
  },
  {
    number: 26,
    name: 'list-as-text',
    description: 'A list is sent as text/plain.',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request);
      if (!response.ok || response.body === null) return response;
      return withBody(response, await response.text(), { contentType: 'text/plain' });
    },
  },
  {
    number: 28,
    name: 'list-ends-with-null',
    description: 'A page has null behind its last pet.',
    wrap: editPage((pets) => [...pets, null]),
  },
];

function defaultLimit(limit: number): Wrap {
  return editRequest((request) =>
    withUrl(request, ({ searchParams }) => {
      if (!searchParams.has('limit')) searchParams.set('limit', String(limit));
    }),
  );
}

/** Joins two pages of the service. */
function serve101(fetch: Fetch): Fetch {
  return async (request) => {
    const is101 = new URL(request.url).searchParams.get('limit') === '101';
    if (!is101 || request.method !== 'GET') return fetch(request);
    const first = await fetch(withUrl(request, (url) => url.searchParams.set('limit', '100')));
    const query = nextQuery(first)?.replace('limit=100', 'limit=1');
    if (query === undefined) return first;
    const second = await fetch(withUrl(request, (url) => (url.search = query)));
    const pages = [await first.text(), await second.text()];
    return withBody(second, renderExactJson(pages.flatMap((page) => parseExactJson(page) as Fields[])));
  };
}
