import { nextLink } from '../../src/http/paging.ts';
import type { PetStatus } from '../../src/pet.ts';

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

/** The API of the service. It accepts only the cursors that its own code makes. */
export const ownSpelling = petstoreSpelling(({ limit = 20, status, after = 0 }) => {
  const link = nextLink({ limit, ...(status && { status }) }, { json: '', next: BigInt(after) });
  return /cursor=([^&>]+)/.exec(link ?? '')?.[1] ?? '';
});

/** The same API, with the id itself as the cursor. */
export const peerSpelling = petstoreSpelling(({ after }) => String(after));

function petstoreSpelling(cursorOf: (options: ListOptions) => string): Spelling {
  return spelling('/v1/pets', (options) => ({
    limit: options.limit,
    status: options.status,
    cursor: options.after === undefined ? undefined : cursorOf(options),
  }));
}

export const jsonServerSpelling = spelling('/pets', ({ limit = 20, status, after = 0 }) => ({
  ...{ status, _start: after, _limit: limit },
}));

/** A record's id is a text of 15 characters. */
export const recordId = (id: number): string => String(id).padStart(15, '0');

/** `skipTotal` as its guide recommends where nobody needs the number of records. */
export const pocketBaseSpelling = spelling(
  '/api/collections/pets/records',
  ({ limit = 20, status, after = 0 }) => {
    const conditions = [`id>'${recordId(after)}'`, ...(status ? [`status='${status}'`] : [])];
    const filter = after > 0 || status ? encodeURIComponent(`(${conditions.join('&&')})`) : undefined;
    return { sort: 'id', skipTotal: 1, perPage: limit, filter };
  },
  recordId,
);

function spelling(
  path: string,
  queryOf: (options: ListOptions) => Record<string, string | number | undefined>,
  idOf: (id: number) => string = String,
): Spelling {
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
