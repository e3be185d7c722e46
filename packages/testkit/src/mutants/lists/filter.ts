import { isPetStatus } from 'petstore-server/embed';
import {
  editParameter,
  editResponse,
  type Fields,
  limitOf,
  readAllPets,
  refuseAs,
  withBody,
  withUrl,
} from '../edit.ts';
import { parseExactJson, renderExactJson } from '../../conform/exact-json.ts';
import type { Fetch, MutantDefinition, Wrap } from '../mutant.ts';

export const filterMutants: readonly MutantDefinition[] = [
  {
    number: 15,
    name: 'status-ignored',
    description: 'A list ignores the status filter.',
    wrap: editParameter('status', () => undefined),
  },
  {
    number: 16,
    name: 'status-negated',
    description: 'A list filtered by status has every pet but those with this status.',
    wrap: filterBy((pet, status) => pet['status'] !== status),
  },
  {
    number: 17,
    name: 'status-includes-pets-without',
    description: 'A list filtered by status also has the pets without a status.',
    wrap: filterBy((pet, status) => pet['status'] === undefined || pet['status'] === status),
  },
  {
    number: 19,
    name: 'status-any-case',
    description: 'The status filter accepts any case, such as SOLD.',
    wrap: editParameter('status', (status) => status.toLowerCase()),
  },
  {
    number: 20,
    name: 'status-unknown-lists-all',
    description: 'An unknown status filter lists every pet instead of being refused.',
    wrap: editParameter('status', (status) => (isPetStatus(status) ? status : undefined)),
  },
  {
    number: 209,
    name: 'status-needed',
    description: 'A list without a status filter is 400.',
    wrap: editResponse((response, { url }) =>
      response.ok && !new URL(url).searchParams.has('status') ? refuseAs(response, 400) : response,
    ),
  },
  {
    number: 21,
    name: 'status-unknown-lists-none',
    breaks: 'strict',
    description: 'An unknown status filter gives an empty list instead of being refused.',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request);
      const status = new URL(request.url).searchParams.get('status') ?? 'sold';
      return response.status === 400 && !isPetStatus(status)
        ? withBody(response, '[]', { status: 200 })
        : response;
    },
  },
  {
    number: 22,
    name: 'status-filters-after-limit',
    description: 'The status filter is applied to a page that was cut before, which leaves pages half empty.',
    wrap: filterAfterLimit,
  },
];

function filterBy(matches: (pet: Fields, status: string) => boolean): Wrap {
  return (fetch) => async (request) => {
    const response = await fetch(request);
    const status = new URL(request.url).searchParams.get('status');
    if (status === null || !response.ok || response.body === null) return response;
    const pets = (await readAllPets(fetch, request)).filter((pet) => matches(pet, status));
    return withBody(response, renderExactJson(pets.slice(0, limitOf(request) ?? 20)));
  };
}

function filterAfterLimit(fetch: Fetch): Fetch {
  return async (request) => {
    const status = new URL(request.url).searchParams.getAll('status').join();
    if (!isPetStatus(status)) return fetch(request);
    const response = await fetch(withUrl(request, (url) => url.searchParams.delete('status')));
    if (!response.ok || response.body === null) return response;
    const pets = (parseExactJson(await response.text()) as Fields[]).filter(
      (pet) => pet['status'] === status,
    );
    const link = response.headers.get('Link');
    const filtered = withBody(response, renderExactJson(pets));
    if (link !== null) filtered.headers.set('Link', link.replace('&cursor', `&status=${status}&cursor`));
    return filtered;
  };
}
