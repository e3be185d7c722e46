import { endOf } from '../domain/api-key.ts';
import type { Authenticate } from './authentication.ts';
import { categoryNotFound, parseCategoryName } from '../domain/category.ts';
import { petNotFound, type PetstoreError } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';
import { preconditionsOf } from './response.ts';
import type { Call, Handler } from './route.ts';
import { parseNewPet, parsePetUpdate } from '../domain/pet.ts';
import { etagOf, refuseTagOfCreate, refuseUnreadableTags } from '../domain/precondition.ts';
import { type ChangeTarget, fingerprintOf } from '../domain/change.ts';
import type { OrderStore, PetStore } from '../stores/store.ts';
import { parseJsonBody, readBody, untilParsed } from './body.ts';
import { categoryList, createList, orderList, petList, searchList } from './list.ts';
import { invalidParameter } from './parameters.ts';

/** Sent with every response of `/v1/pets/{petId}`: deprecated (RFC 9745), to be removed (RFC 8594), and why. */
export const getPetDeprecation = {
  Deprecation: '@1794614400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};

/** An update's body contains one nested object, `expected`. */
const updateDepth = 2;
const neverCached = { 'Cache-Control': 'no-store' };

/** The operations of the API by the names of the contract. Those about events are in `events.ts`. */
export function createOperations(
  pets: PetStore,
  orders: OrderStore,
  authenticate: Authenticate,
  bodyTimeoutMs: number,
) {
  const readJson = async ({ request }: Call, depth?: number): Promise<unknown> => {
    const bytes = await readBody(request, bodyTimeoutMs);
    // The key may have been revoked or expired while the body arrived.
    await authenticate(request);
    return parseJsonBody(bytes, depth);
  };

  return {
    listPets: createList(petList, (query) => pets.listPets(query)),

    createPet: async (call) => {
      const { request, caller } = call;
      const pet = parseNewPet(await readJson(call));
      const key = parseIdempotencyKey(request.headers.get('Idempotency-Key'));
      refuseTagOfCreate(preconditionsOf(request) ?? {});
      const idempotency =
        key === undefined ? undefined : { key, caller: caller.hash, requestHash: fingerprintOf(pet) };
      const { id, json, isNew } = await pets.apply({ kind: 'create-pet', pet, idempotency, by: caller.name });
      const headers: Record<string, string> = { ...neverCached, Location: `/v1/pets/${id}` };
      if (!isNew) headers['Idempotent-Replayed'] = 'true';
      return { status: 201, headers, body: json };
    },

    getPet: createGet((id) => pets.getPet(id), petNotFound),

    updatePet: async (call) => {
      const target = targetOf(call, petNotFound);
      const update = parsePetUpdate(await readJson(call, updateDepth));
      const { json } = await pets.apply({ kind: 'update-pet', ...target, ...update });
      // Send the tag as a plain header: the preconditions applied to the pet before the change.
      return { status: 200, headers: { ...neverCached, ETag: etagOf(json) }, body: json };
    },

    deletePet: async (call) => {
      await untilParsed(call.request);
      await pets.apply({ kind: 'delete-pet', ...targetOf(call, petNotFound) });
      return { status: 204, headers: neverCached, body: null };
    },

    searchPets: createList(searchList, (query, request) => pets.searchPets(query, request.signal)),

    listCategories: createList(categoryList, (query) => pets.listCategories(query)),

    getCategory: createGet((id) => pets.getCategory(id), categoryNotFound),

    putCategory: async (call) => {
      const target = targetOf(call, categoryNotFound);
      const name = parseCategoryName(await readJson(call));
      const { id, json, isNew } = await pets.apply({ kind: 'put-category', ...target, name });
      const headers = { ...neverCached, ETag: etagOf(json) };
      if (!isNew) return { status: 200, headers, body: json };
      return { status: 201, headers: { ...headers, Location: `/v1/categories/${id}` }, body: json };
    },

    deleteCategory: async (call) => {
      await untilParsed(call.request);
      await pets.apply({ kind: 'delete-category', ...targetOf(call, categoryNotFound) });
      return { status: 204, headers: neverCached, body: null };
    },

    listOrders: createList(orderList, (query) => orders.listOrders(query)),

    /** Describes the caller's own key. A key from API_KEYS has no createdAt or expiresAt. */
    getKey: ({ caller }) => {
      const { name, isReadOnly: readOnly, mayDelete, createdAt } = caller;
      const body = JSON.stringify({ name, readOnly, mayDelete, createdAt, expiresAt: endOf(caller) });
      return { body, etag: etagOf(body) };
    },
  } satisfies Record<string, Handler>;
}

/** Creates the handler that gets one pet or category by its id. */
function createGet(
  read: (id: bigint) => MaybePromise<string | undefined>,
  notFound: () => PetstoreError,
): Handler {
  return ({ parameter }) =>
    andThen(read(idOf(parameter, notFound)), (json) => {
      if (json === undefined) throw notFound();
      return { body: json, etag: etagOf(json) };
    });
}

/** The pet or category that a request changes. */
function targetOf({ request, parameter, caller }: Call, notFound: () => PetstoreError): ChangeTarget {
  const id = idOf(parameter, notFound);
  const preconditions = preconditionsOf(request);
  if (preconditions) refuseUnreadableTags(preconditions);
  return { id, preconditions, by: caller.name };
}

/** Only a canonical int64 can be an id. */
function idOf(parameter = '', notFound: () => PetstoreError): bigint {
  const id = parseInt64(parameter);
  if (id === undefined) throw notFound();
  return id;
}

/** 1 to 255 visible characters, bare or in quotes. Two headers arrive joined by ", " and do not match. */
const idempotencyKey = /^(?:"([!#-~]{1,255})"|([!#-~][!-~]{0,254}))$/;

function parseIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, quoted, bare] = idempotencyKey.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw invalidParameter('Idempotency-Key must be given once, as 1 to 255 visible ASCII characters.');
}
