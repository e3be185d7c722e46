import { refuseProblems } from './error.ts';
import { createBetaOperations, type BetaOperations } from './beta.ts';
import type {
  CallOptions,
  ClientOptions,
  CreatePetOptions,
  ListPetsOptions,
  PetsOptions,
} from './options.ts';
import { createList } from './pages.ts';
import {
  problemsOf,
  renderNewPet,
  requireBigint,
  toPet,
  type CreatedPet,
  type NewPet,
  type Pet,
  type PetPage,
  type VersionedPet,
} from './pet.ts';
import { createSend, unexpectedResponse, withEtag } from './wire/send.ts';
import { createUuid } from './wire/uuid.ts';

/** The operations of the service. They reject with a `PetstoreClientError`, or with your signal's reason. */
export interface PetstoreClient extends BetaOperations {
  /** Gets one page of pets. `limit` defaults to 20. */
  listPets(options?: ListPetsOptions): Promise<PetPage>;

  /** Iterates over all pets, page by page: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(options?: PetsOptions): AsyncGenerator<Pet, void, undefined>;

  /**
   * Adds a pet and resolves once it is stored durably. Retries never add a second pet. An invalid pet is refused before
   * it is sent, with its `problems` by field.
   */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<CreatedPet>;

  /**
   * Gets one pet by its id, with its ETag.
   * @deprecated The service removes this operation on 5 December 2030. Use `pets({ status })`.
   */
  getPet(id: bigint, options?: CallOptions): Promise<VersionedPet>;
}

/** Creates a client for the service at `baseUrl`. It does not keep connections open, so you need not close it. */
export function createClient(options: ClientOptions): PetstoreClient {
  // Without this check, an unset environment variable would be sent as the key "undefined".
  if (typeof options.apiKey !== 'string' || options.apiKey.trim() === '')
    throw new TypeError('apiKey must not be empty.');
  const versionUrl = versionedUrl(options.baseUrl);
  const petsUrl = `${versionUrl}/pets`;
  const send = createSend(options);
  const list = createList(send, { operation: 'listPets', url: petsUrl }, 'pets', toPet);

  return {
    listPets: list.getPage,
    pets: list.each,

    async createPet(pet, { idempotencyKey = createUuid(), signal } = {}) {
      const body = renderNewPet(pet);
      refuseProblems(problemsOf(pet));
      const response = await send({
        operation: 'createPet',
        method: 'POST',
        url: petsUrl,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body,
        signal,
      });
      const createdPet = toPet(response.body) ?? unexpectedResponse(response);
      return response.headers.has('Idempotent-Replayed') ? { ...createdPet, replayed: true } : createdPet;
    },

    async getPet(id, { signal } = {}) {
      const url = `${petsUrl}/${requireBigint('id', id)}`;
      return withEtag(await send({ operation: 'getPet', method: 'GET', url, signal }), toPet);
    },

    ...createBetaOperations(send, versionUrl),
  };
}

function versionedUrl(baseUrl: string): string {
  // A path is enough in a browser: it refers to the document's host.
  if (!/^(?:https?:\/\/|\/)/i.test(baseUrl))
    throw new TypeError(`baseUrl must start with http:// or https://, not "${baseUrl}".`);
  if (/^[^/]*\/\/[^/]*@/.test(baseUrl))
    throw new TypeError('baseUrl must not contain a user name or a password.');
  const address = baseUrl.replace(/\/+$/, '');
  return address.endsWith('/v1') ? address : `${address}/v1`;
}
