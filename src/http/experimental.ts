import { petNotFound } from '../domain/error.ts';
import type { ExperimentalStore, SeenPet } from '../domain/experimental-store.ts';
import { parsePetUpdate } from '../domain/pet-update.ts';
import type { PetStore } from '../domain/pet.ts';
import { parseJsonBody, readBody, untilParsed } from './body.ts';
import { ResponseCache } from './cache.ts';
import { cacheable, checkChange, dependsOnTag, etagOf } from './conditional.ts';
import type { Handler } from './endpoint.ts';
import type { HttpMetrics } from './metrics.ts';
import { orderList, searchList } from './paging.ts';
import { createList, parsePetId } from './pets.ts';

/** Sent with every response of an experimental operation, errors included. */
export const experimentalMark = { 'Petstore-Stability': 'experimental' };

/** `expected` is an object within the body. */
const bodyDepth = 2;
const neverCached = { 'Cache-Control': 'no-store' };

export function createExperimentalOperations(
  pets: PetStore,
  store: ExperimentalStore,
  baseHeaders: Record<string, string>,
  bodyTimeoutMs: number,
  metrics?: HttpMetrics,
): Record<'updatePet' | 'deletePet' | 'searchPets' | 'listOrders' | 'getKey', Handler> {
  const createCache = () =>
    new ResponseCache(() => pets.version(), { ...baseHeaders, ...experimentalMark }, metrics);
  const [orders, searches] = [createCache(), createCache()];

  /** The pet that the caller's tags name. The store compares again, because the pet may change until then. */
  const seenPet = async (request: Request, id: bigint): Promise<SeenPet | undefined> => {
    if (!dependsOnTag(request)) return undefined;
    const json = await pets.getPet(id);
    if (json === undefined) throw petNotFound();
    checkChange(request, etagOf(json));
    return json;
  };

  return {
    async updatePet({ request, parameter, caller }) {
      const update = parsePetUpdate(parseJsonBody(await readBody(request, bodyTimeoutMs), bodyDepth));
      const id = parsePetId(parameter);
      const json = await store.updatePet(id, update, await seenPet(request, id), caller.name);
      // The tag is a plain header: the preconditions were about the pet as it was before.
      return { status: 200, headers: { ...neverCached, ETag: etagOf(json) }, body: json };
    },

    async deletePet({ request, parameter }) {
      await untilParsed(request);
      const id = parsePetId(parameter);
      await store.deletePet(id, await seenPet(request, id));
      return { status: 204, headers: neverCached, body: null };
    },

    searchPets: createList(searchList, searches, (request) => store.searchPets(request)),

    listOrders: createList(orderList, orders, (request) => store.listOrders(request)),

    getKey({ caller: { name, isReadOnly, createdAt, expiresAt } }) {
      return cacheable(JSON.stringify({ name, readOnly: isReadOnly, createdAt, expiresAt }));
    },
  };
}
