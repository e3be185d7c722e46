import { nextLink, petList } from '../../src/http/paging.ts';
import type { PetStatus } from '../../src/domain/pet.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string | null;
}

/** `after` is the last id of the page before. */
type ListOptions = { limit?: number; status?: PetStatus; after?: number };

/** The requests for each operation, as a contestant wants them. */
export interface Spelling {
  list: (options: ListOptions) => HttpRequest;
  get: (id: number) => HttpRequest;
  create: (number: number) => HttpRequest;
}

export const spellings = {
  /** The API of the service. It accepts only the cursors that its own code makes. */
  own: spelling('/v1/pets', ({ limit, status, after }) => {
    if (after === undefined) return { limit, status };
    const request = { limit: 20, ...(status && { status }) };
    const link = nextLink(request, { json: '', next: BigInt(after) }, petList);
    return { limit, status, cursor: /cursor=([^&>]+)/.exec(link ?? '')?.[1] };
  }),
  /** The same API, with the id itself as the cursor. */
  peer: spelling('/v1/pets', ({ limit, status, after: cursor }) => ({ limit, status, cursor })),
  jsonServer: spelling('/pets', ({ limit = 20, status, after = 0 }) => {
    return { status, _start: after, _limit: limit };
  }),
  /** `skipTotal` as its guide recommends where nobody needs the number of records. */
  pocketBase: spelling(
    '/api/collections/pets/records',
    ({ limit = 20, status, after = 0 }) => {
      const conditions = [`id>'${recordId(after)}'`, ...(status ? [`status='${status}'`] : [])];
      const filter = after > 0 || status ? encodeURIComponent(`(${conditions.join('&&')})`) : undefined;
      return { sort: 'id', skipTotal: 1, perPage: limit, filter };
    },
    recordId,
  ),
};

/** A record of PocketBase has a text of 15 characters as its id. */
export function recordId(id: number): string {
  return String(id).padStart(15, '0');
}

type QueryOf = (options: ListOptions) => Record<string, string | number | undefined>;

function spelling(path: string, queryOf: QueryOf, idOf: (id: number) => string = String): Spelling {
  return {
    list(options) {
      const given = Object.entries(queryOf(options)).filter(([, value]) => value !== undefined);
      const query = given.map(([name, value]) => `${name}=${value}`).join('&');
      return { method: 'GET', path: query === '' ? path : `${path}?${query}` };
    },
    get: (id) => ({ method: 'GET', path: `${path}/${idOf(id)}` }),
    create(number) {
      const pet = { name: `New ${number}`, categoryId: number % 50, status: 'available' };
      return { method: 'POST', path, body: JSON.stringify(pet) };
    },
  };
}
