import { toInt64 } from '../conform/exact-json.ts';
import { editPage, editPets, withUrl } from './edit.ts';
import type { Fetch, MutantDefinition } from './mutant.ts';

/** Reads that change something: a GET is safe (RFC 9110, section 9.2.1). */
export const readMutants: readonly MutantDefinition[] = [
  {
    number: 192,
    name: 'list-adds-pet',
    operation: 'listPets',
    description: 'Each list adds a pet.',
    wrap: addPetAfter,
  },
  {
    number: 193,
    name: 'get-adds-pet',
    description: 'Each getPet adds a pet.',
    wrap: addPetAfter,
  },
  {
    number: 194,
    name: 'get-works-once',
    description: 'A pet can be fetched once and is 404 from then on.',
    wrap: (fetch) => {
      const fetched = new Set<string>();
      return async (request) => {
        const { pathname } = new URL(request.url);
        const isGone = fetched.has(pathname);
        const response = await fetch(
          isGone ? withUrl(request, (url) => (url.pathname = '/v1/pets/-1')) : request,
        );
        if (response.ok) fetched.add(pathname);
        return response;
      };
    },
  },
  {
    number: 195,
    name: 'get-takes-from-list',
    operation: 'all',
    description: 'A pet that was fetched is missing from lists.',
    wrap: takeFetchedFromLists,
  },
];

function addPetAfter(fetch: Fetch, apiKey: string): Fetch {
  return async (request) => {
    const response = await fetch(request);
    if (!response.ok) return response;
    await fetch(
      new Request(new URL('/v1/pets', request.url).href, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: '{"name":"Read","categoryId":0,"status":"sold"}',
      }),
    );
    return response;
  };
}

function takeFetchedFromLists(fetch: Fetch): Fetch {
  const fetched = new Set<bigint | undefined>();
  const get = editPets(['getPet'], (pet) => {
    fetched.add(toInt64(pet['id']));
    return pet;
  });
  const list = editPage((pets) => pets.filter(({ id }) => !fetched.has(toInt64(id))));
  return list(get(fetch, ''), '');
}
