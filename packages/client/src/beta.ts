import { createCategoryOperations, type CategoryOperations } from './category.ts';
import { preconditions, refuseRetry, remove, renderChanges, type PetChanges } from './changes.ts';
import { withMessage } from './error.ts';
import type {
  CallOptions,
  ChangePetOptions,
  ListOrdersOptions,
  OrdersOptions,
  SearchPetsOptions,
  SearchPetsPageOptions,
} from './options.ts';
import { toOrder, type Order, type OrderPage } from './order.ts';
import { createEventOperations, type EventOperations } from './event.ts';
import { createList } from './pages.ts';
import { requireBigint, toPet, type Pet, type PetPage, type VersionedPet } from './pet.ts';
import { fieldsOf, toDate } from './wire/json.ts';
import { unexpectedResponse, withEtag, type Send } from './wire/send.ts';

/** The API key of a client, as the service knows it. */
export interface Key {
  /** The operator's name for it. All fixed keys of a service are named `API_KEYS`. */
  name: string;
  /** Whether it may only list and fetch. */
  readOnly: boolean;
  mayDelete: boolean;
  /** Absent for a fixed key. */
  createdAt?: Date;
  /** Absent if it never expires. */
  expiresAt?: Date;
}

/**
 * Beta operations are complete and supported; the changelog announces a change one release ahead. If the operator
 * removes them with `--stable-only`, they fail with `method_not_allowed` or, if their whole path is missing, with
 * `not_found`, and the message says so.
 */
export interface BetaOperations extends EventOperations, CategoryOperations {
  /**
   * Changes a pet and resolves with it and its new ETag once the change is stored durably. Without `expected` and
   * `ifMatch`, the last update wins. The call is retried only after errors that mean that nothing has changed
   * (`request_timeout`, `rate_limited`, `overloaded`): a second attempt could undo a later change, or mistake the first
   * attempt for somebody else's change. After any other temporary error, read the pet to learn whether it changed.
   * @beta
   */
  updatePet(id: bigint, changes: PetChanges, options?: ChangePetOptions): Promise<VersionedPet>;

  /**
   * Deletes a pet permanently; its id is never reused. Fails with `not_found` if no pet has this id, unless an earlier
   * attempt of this call may have deleted it.
   * @beta
   */
  deletePet(id: bigint, options?: ChangePetOptions): Promise<void>;

  /**
   * Iterates over the pets that meet every condition, newest first, page by page: `for await (const pet of
   * client.searchPets({ q: 'rex' }))`.
   * @beta
   */
  searchPets(options?: SearchPetsOptions): AsyncGenerator<Pet, void, undefined>;

  /**
   * Gets one page of the pets that `searchPets` finds. `limit` defaults to 20.
   * @beta
   */
  searchPetsPage(options?: SearchPetsPageOptions): Promise<PetPage>;

  /**
   * Describes the API key of this client.
   * @beta
   */
  getKey(options?: CallOptions): Promise<Key>;

  /**
   * Gets one page of orders. `limit` defaults to 20.
   * @beta
   */
  listOrders(options?: ListOrdersOptions): Promise<OrderPage>;

  /**
   * Iterates over all orders, page by page.
   * @beta
   */
  orders(options?: OrdersOptions): AsyncGenerator<Order, void, undefined>;
}

/** Creates the operations below `versionUrl`, which ends in `/v1`. */
export function createBetaOperations(sendCall: Send, versionUrl: string): BetaOperations {
  const send: Send = (call) =>
    sendCall({
      ...call,
      explain(error, headers) {
        // The path of a pet also has the stable getPet, so it remains.
        const isOfPet = call.operation === 'updatePet' || call.operation === 'deletePet';
        const codeWhenRemoved = isOfPet ? 'method_not_allowed' : 'not_found';
        // If the service has the operation, the mark is on every response, such as the 404 of a number without a name.
        const isRemoved = error.code === codeWhenRemoved && !headers.has('Petstore-Stability');
        if (!isRemoved) return call.explain?.(error, headers) ?? error;
        return withMessage(
          error,
          'This service does not offer beta operations. Its operator runs it with --stable-only.',
        );
      },
    });
  const search = { operation: 'searchPets', url: `${versionUrl}/pets/search` } as const;
  const searches = createList(send, search, 'pets', toPet);
  const list = { operation: 'listOrders', url: `${versionUrl}/store/orders` } as const;
  const orders = createList(send, list, 'orders', toOrder);
  const petUrl = (id: bigint) => `${versionUrl}/pets/${requireBigint('id', id)}`;

  return {
    ...createEventOperations(send, versionUrl),
    ...createCategoryOperations(send, versionUrl),

    async updatePet(id, changes, { ifMatch, signal } = {}) {
      const response = await send({
        operation: 'updatePet',
        method: 'PATCH',
        url: petUrl(id),
        headers: { 'Content-Type': 'application/json', ...preconditions({ ifMatch }) },
        body: renderChanges(changes),
        signal,
        onUncertain: refuseRetry('pet'),
      });
      return withEtag(response, toPet);
    },

    async deletePet(id, options) {
      await remove(send, { operation: 'deletePet', url: petUrl(id) }, options);
    },

    searchPets: searches.each,
    searchPetsPage: searches.getPage,

    async getKey({ signal } = {}) {
      const url = `${versionUrl}/key`;
      const response = await send({ operation: 'getKey', method: 'GET', url, signal });
      return toKey(response.body) ?? unexpectedResponse(response);
    },

    listOrders: orders.getPage,
    orders: orders.each,
  };
}

/** Reads a key from parsed JSON; undefined if the value is not a key. */
function toKey(value: unknown): Key | undefined {
  const { name, readOnly, mayDelete, createdAt, expiresAt } = fieldsOf(value);
  if (typeof name !== 'string' || typeof readOnly !== 'boolean') return undefined;
  if (typeof mayDelete !== 'boolean') return undefined;
  const [createdDate, expiryDate] = [toDate(createdAt), toDate(expiresAt)];
  return {
    name,
    readOnly,
    mayDelete,
    ...(createdDate && { createdAt: createdDate }),
    ...(expiryDate && { expiresAt: expiryDate }),
  };
}
