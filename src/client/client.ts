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
import { problemsOf, toPet, toPets, type NewPet, type Pet, type PetPage } from './pet.ts';
import { createSend, type ApiResponse } from './send.ts';
import { createUuid } from './uuid.ts';

/** The operations of the service. They reject with a `PetstoreClientError`, or with the reason of your signal. */
export interface PetstoreClient {
  /** Gets one page of pets, 20 unless `limit` says otherwise. */
  listPets(options?: ListPetsOptions): Promise<PetPage>;

  /** Iterates over all pets, page by page: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(options?: PetsOptions): AsyncGenerator<Pet, void, undefined>;

  /**
   * Adds a pet and resolves once it is stored durably. Retries never add a second pet. A pet that is not valid is
   * refused before it is sent, with its `problems` by field.
   */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>;

  /**
   * Gets one pet by its id.
   * @deprecated The service removes this operation on 5 December 2030. Use `pets({ status })`.
   */
  getPet(id: bigint, options?: CallOptions): Promise<Pet>;
}

/** Creates a client for the service at `baseUrl`. It holds no connection and needs no closing. */
export function createClient(options: ClientOptions): PetstoreClient {
  const petsUrl = `${versionedUrl(options.baseUrl)}/pets`;
  const send = createSend(options);

  const listPets = async ({ signal, ...list }: ListPetsOptions = {}): Promise<PetPage> => {
    if (list.next !== undefined && !isQuery(list.next)) throw new TypeError('next must come from a page.');
    const url = petsUrl + (list.next ?? queryOf(list));
    const response = await send({ operation: 'listPets', method: 'GET', url, signal });
    const pets = toPets(response.body) ?? unexpected(response);
    const next = findLink(response.headers.get('Link'), 'next');
    if (next === undefined) return { pets };
    return isQuery(next) ? { pets, next } : unexpected(response);
  };

  return {
    listPets,

    async *pets({ limit = 100, ...rest } = {}) {
      let page = await listPets({ limit, ...rest });
      yield* page.pets;
      while (page.next !== undefined) {
        page = await listPets({ next: page.next, signal: rest.signal });
        yield* page.pets;
      }
    },

    async createPet(pet, { idempotencyKey = createUuid(), signal } = {}) {
      const body = renderNewPet(pet);
      refuseInvalid(pet);
      const response = await send({
        operation: 'createPet',
        method: 'POST',
        url: petsUrl,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body,
        signal,
      });
      return toPet(response.body) ?? unexpected(response);
    },

    async getPet(id, { signal } = {}) {
      const response = await send({ operation: 'getPet', method: 'GET', url: `${petsUrl}/${id}`, signal });
      return toPet(response.body) ?? unexpected(response);
    },
  };
}

function versionedUrl(baseUrl: string): string {
  // In a browser a path is enough: it refers to the host of the document.
  if (!/^(?:https?:\/\/|\/)/i.test(baseUrl))
    throw new TypeError(`baseUrl must start with http:// or https://, not "${baseUrl}".`);
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

/** The service links by query only. Anything else could send the API key to another host. */
function isQuery(reference: string): boolean {
  return reference.startsWith('?');
}

function refuseInvalid(pet: NewPet): void {
  const problems = problemsOf(pet);
  const message = Object.entries(problems).map(([field, problem]) => `${field} ${problem}.`);
  if (message.length > 0) throw new PetstoreClientError('invalid_pet', message.join(' '), { problems });
}

function unexpected({ requestId }: ApiResponse): never {
  throw new PetstoreClientError('unexpected_response', 'The response does not come from this API.', {
    requestId,
  });
}
