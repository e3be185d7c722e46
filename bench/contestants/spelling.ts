import { nextLink, orderList, petList } from '../../src/http/list.ts';
import type { PetStatus } from '../../src/domain/pet.ts';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: string | null;
}

/** `after` is the last id of the page before. */
type ListOptions = { limit?: number; status?: PetStatus; after?: number };

/** Of the service alone. */
export function listOrders({ limit, after }: Record<'limit' | 'after', number>): HttpRequest {
  return { method: 'GET', path: `/v1/store/orders?limit=${limit}&cursor=${cursorOf(orderList, after)}` };
}

/** The requests for each operation, as a contestant wants them. */
export interface Spelling {
  list: (options: ListOptions) => HttpRequest;
  get: (id: number) => HttpRequest;
  create: (number: number) => HttpRequest;
  /** Peers with a file do not offer it. */
  update: (id: number, name: string) => HttpRequest;
}

export const spellings = {
  /** The API of the service. It accepts only the cursors that its own code makes. */
  own: spelling(({ limit, status, after }) => {
    if (after === undefined) return { limit, status };
    return { limit, status, cursor: cursorOf(petList, after, status) };
  }),
  /** The same API, with the id itself as the cursor. */
  peer: spelling(({ limit, status, after: cursor }) => ({ limit, status, cursor })),
};

function cursorOf(
  kind: Parameters<typeof nextLink>[2],
  after: number,
  status?: PetStatus,
): string | undefined {
  const link = nextLink({ limit: 20, ...(status && { status }) }, { json: '', next: BigInt(after) }, kind);
  return /cursor=([^&>]+)/.exec(link ?? '')?.[1];
}

type QueryOf = (options: ListOptions) => Record<string, string | number | undefined>;

function spelling(queryOf: QueryOf): Spelling {
  const path = '/v1/pets';
  return {
    list(options) {
      const parameters = Object.entries(queryOf(options)).filter(([, value]) => value !== undefined);
      const query = parameters.map(([name, value]) => `${name}=${value}`).join('&');
      return { method: 'GET', path: query === '' ? path : `${path}?${query}` };
    },
    get: (id) => ({ method: 'GET', path: `${path}/${id}` }),
    create(number) {
      const pet = { name: `New ${number}`, categoryId: number % 50, status: 'available' };
      return { method: 'POST', path, body: JSON.stringify(pet) };
    },
    update: (id, name) => ({ method: 'PATCH', path: `${path}/${id}`, body: JSON.stringify({ name }) }),
  };
}
