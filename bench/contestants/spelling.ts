import { nextLink } from '../../src/http/paging.ts';
import type { PetStatus } from '../../src/pet.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

export interface ListOptions {
  limit?: number;
  status?: PetStatus;
  /** The last id of the page before. */
  after?: number;
}

/** The requests for each operation, as a contestant wants them. */
export interface Spelling {
  list: (options: ListOptions) => HttpRequest;
  get: (id: number) => HttpRequest;
  create: (number: number) => HttpRequest;
}

/** Sent with a body, and only then, as callers do. */
export const bodyHeaders = { 'Content-Type': 'application/json' };

/** The API of the service. It accepts only the cursors that its own code makes. */
export const ownSpelling = petstoreSpelling(({ limit = 20, status, after = 0 }) => {
  const link = nextLink({ limit, ...(status && { status }) }, { json: '', next: BigInt(after) });
  return /cursor=([^&>]+)/.exec(link ?? '')?.[1] ?? '';
});

/** The same API, with the id itself as the cursor. */
export const peerSpelling = petstoreSpelling(({ after }) => String(after));

function petstoreSpelling(cursorOf: (options: ListOptions) => string): Spelling {
  return spelling('/v1/pets', (options) => [
    ...(options.limit === undefined ? [] : [`limit=${options.limit}`]),
    ...(options.status ? [`status=${options.status}`] : []),
    ...(options.after === undefined ? [] : [`cursor=${cursorOf(options)}`]),
  ]);
}

export const jsonServerSpelling = spelling('/pets', ({ limit = 20, status, after = 0 }) => [
  ...(status ? [`status=${status}`] : []),
  ...[`_start=${after}`, `_limit=${limit}`],
]);

/** A record's id is a text of 15 characters. */
export const recordId = (id: number): string => String(id).padStart(15, '0');

/** `skipTotal` as its guide recommends where nobody needs the number of records. */
export const pocketBaseSpelling = spelling(
  '/api/collections/pets/records',
  ({ limit = 20, status, after }) => {
    const conditions = [
      ...(after === undefined ? [] : [`id>'${recordId(after)}'`]),
      ...(status ? [`status='${status}'`] : []),
    ];
    const filter = `filter=${encodeURIComponent(`(${conditions.join('&&')})`)}`;
    return ['sort=id', 'skipTotal=1', `perPage=${limit}`, ...(conditions.length > 0 ? [filter] : [])];
  },
  recordId,
);

function spelling(
  path: string,
  queryOf: (options: ListOptions) => string[],
  idOf: (id: number) => string = String,
): Spelling {
  const newPet = (number: number) => ({
    name: `New ${number}`,
    categoryId: number % 50,
    status: 'available',
  });
  return {
    list: (options) => ({
      method: 'GET',
      path: [path, queryOf(options).join('&')].filter(Boolean).join('?'),
    }),
    get: (id) => ({ method: 'GET', path: `${path}/${idOf(id)}` }),
    create: (number) => ({ method: 'POST', path, body: JSON.stringify(newPet(number)) }),
  };
}
