import { nextLink } from '../src/http/paging.ts';
import type { PetStatus } from '../src/pet.ts';

/** Sent with a body, and only then, as callers do. */
export const bodyHeaders = { 'Content-Type': 'application/json' };

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

/** How the operations are spelled for a contestant. */
export interface Spelling {
  list: (options: ListOptions) => HttpRequest;
  get: (id: number) => HttpRequest;
  create: (number: number) => HttpRequest;
}

const createPath = '/v1/pets';

/** The interface of the service. Its cursors come from its own code: only those that it made are accepted. */
export const ownSpelling: Spelling = spelling(({ limit = 20, status, after }) => {
  const link = nextLink({ limit, ...(status && { status }) }, { json: '', next: BigInt(after ?? 0) });
  return /cursor=([^&>]+)/.exec(link ?? '')?.[1] ?? '';
});

/** The same interface, with the id itself as the cursor. */
export const peerSpelling: Spelling = spelling(({ after }) => String(after));

function spelling(cursorOf: (options: ListOptions) => string): Spelling {
  return {
    list(options) {
      const { limit, status, after } = options;
      const query = new URLSearchParams({
        ...(limit !== undefined && { limit: String(limit) }),
        ...(status && { status }),
        ...(after !== undefined && { cursor: cursorOf(options) }),
      });
      return { method: 'GET', path: query.size > 0 ? `/v1/pets?${query.toString()}` : '/v1/pets' };
    },
    get: (id) => ({ method: 'GET', path: `/v1/pets/${id}` }),
    create: (number) => ({ method: 'POST', path: createPath, body: newPet(number) }),
  };
}

export const jsonServerSpelling: Spelling = {
  list: ({ limit = 20, status, after = 0 }) => ({
    method: 'GET',
    path: `/pets?${status ? `status=${status}&` : ''}_start=${after}&_limit=${limit}`,
  }),
  get: (id) => ({ method: 'GET', path: `/pets/${id}` }),
  create: (number) => ({ method: 'POST', path: '/pets', body: newPet(number) }),
};

const records = '/api/collections/pets/records';

/** `skipTotal` as its guide recommends where nobody needs the count of all records. */
export const pocketBaseSpelling: Spelling = {
  list({ limit = 20, status, after = 0 }) {
    const conditions = [`id>'${recordId(after)}'`, ...(status ? [`status='${status}'`] : [])];
    const filter = after > 0 || status ? `&filter=${encodeURIComponent(`(${conditions.join('&&')})`)}` : '';
    return { method: 'GET', path: `${records}?sort=id&skipTotal=1&perPage=${limit}${filter}` };
  },
  get: (id) => ({ method: 'GET', path: `${records}/${recordId(id)}` }),
  create: (number) => ({ method: 'POST', path: records, body: newPet(number) }),
};

/** A record's id is a text of 15 characters. */
function recordId(id: number): string {
  return String(id).padStart(15, '0');
}

function newPet(number: number): string {
  return JSON.stringify({ name: `New ${number}`, categoryId: number % 50, status: 'available' });
}
