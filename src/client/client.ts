import { PetstoreClientError } from './error.ts';
import { renderNewPet } from './exact-json.ts';
import { findLink } from './link.ts';
import type {
  CallOptions,
  ClientOptions,
  CreatePetOptions,
  ListPetsOptions,
  PetsOptions,
} from './options.ts';
import { toPet, toPets, type NewPet, type Pet, type PetPage } from './pet.ts';
import { createSend, type Answer } from './send.ts';
import { createUuid } from './uuid.ts';

/** The operations of the service. Every one fails with a `PetstoreClientError`, or with the reason of your signal. */
export interface PetstoreClient {
  /** Gets one page of pets, 20 unless `limit` says otherwise. */
  listPets(options?: ListPetsOptions): Promise<PetPage>;

  /** Walks over all pets, page by page: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(options?: PetsOptions): AsyncGenerator<Pet, void, undefined>;

  /** Adds a pet and resolves once it is stored durably; exactly one is added, however often the call is repeated. */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>;

  /**
   * Gets one pet by its id.
   * @deprecated The service removes this operation on 5 December 2030. Use `pets({ status })`.
   */
  getPet(id: bigint, options?: CallOptions): Promise<Pet>;
}

/** Makes a client of the service at `baseUrl`. It holds no connection and needs no closing. */
export function createClient(options: ClientOptions): PetstoreClient {
  const petsUrl = `${versionedUrl(options.baseUrl)}/pets`;
  const send = createSend(options);

  const listPets = async ({ signal, ...list }: ListPetsOptions = {}): Promise<PetPage> => {
    if (list.next !== undefined && !isQuery(list.next)) throw new TypeError('next must be that of a page.');
    const url = petsUrl + (list.next ?? queryOf(list));
    const answer = await send({ operation: 'listPets', method: 'GET', url, signal });
    const pets = toPets(answer.body) ?? unexpected(answer);
    const next = findLink(answer.headers.get('Link'), 'next');
    if (next === undefined) return { pets };
    return isQuery(next) ? { pets, next } : unexpected(answer);
  };

  return {
    listPets,

    async *pets({ limit = 100, ...rest } = {}) {
      let page = await listPets({ limit, ...rest });
      yield* page.pets;
      while (page.next !== undefined) {
        // oxlint-disable-next-line no-await-in-loop -- only a page tells where the next one begins
        page = await listPets({ next: page.next, signal: rest.signal });
        yield* page.pets;
      }
    },

    async createPet(pet, { idempotencyKey = createUuid(), signal } = {}) {
      const answer = await send({
        operation: 'createPet',
        method: 'POST',
        url: petsUrl,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body: renderNewPet(pet),
        signal,
      });
      return toPet(answer.body) ?? unexpected(answer);
    },

    async getPet(id, { signal } = {}) {
      const answer = await send({ operation: 'getPet', method: 'GET', url: `${petsUrl}/${id}`, signal });
      return toPet(answer.body) ?? unexpected(answer);
    },
  };
}

function versionedUrl(baseUrl: string): string {
  // A path is enough in a browser, on the page's own host.
  if (!/^(?:https?:\/\/|\/)/i.test(baseUrl))
    throw new TypeError(`baseUrl must begin with http:// or https://, not "${baseUrl}".`);
  const address = baseUrl.replace(/\/+$/, '');
  return address.endsWith('/v1') ? address : `${address}/v1`;
}

function queryOf({ limit, status }: PetsOptions): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set('limit', String(limit));
  if (status !== undefined) query.set('status', status);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The service links with a query alone. Anything else could carry the API key to another place. */
function isQuery(reference: string): boolean {
  return reference.startsWith('?');
}

function unexpected({ requestId }: Answer): never {
  throw new PetstoreClientError('unexpected_response', 'The answer is not what the service would send.', {
    requestId,
  });
}
