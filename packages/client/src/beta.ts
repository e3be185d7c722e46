import { renderChanges, type PetChanges } from './changes.ts';
import { isNotFound, isPetstoreError, PetstoreClientError } from './error.ts';
import { toKey, type Key } from './key.ts';
import type {
  CallOptions,
  ChangePetOptions,
  ListOrdersOptions,
  OrdersOptions,
  SearchPetsOptions,
  SearchPetsPageOptions,
} from './options.ts';
import { toOrders, type Order, type OrderPage } from './order.ts';
import { createEventOperations, type EventOperations } from './event.ts';
import { createGetPage, eachItem } from './pages.ts';
import { requireBigint, toPets, toVersionedPet, type Pet, type PetPage, type VersionedPet } from './pet.ts';
import { unexpectedResponse, type Send } from './wire/send.ts';

/**
 * Beta operations are complete and supported; a change is announced in the changelog one release ahead. If the operator
 * has removed them (`--stable-only`), they fail with `method_not_allowed`, or with `not_found` if their whole path is
 * missing, and a message that says so.
 */
export interface BetaOperations extends EventOperations {
  /**
   * Changes a pet and resolves with it and its new ETag once the change is stored durably. Without `expected` and
   * `ifMatch`, the last update wins. The call is retried only if the service refused it without trying (`rate_limited`,
   * `overloaded`): a retry of an update that has arrived could undo a later change, or mistake the first attempt for
   * somebody else's change. After any other temporary error, read the pet to learn whether it changed.
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
    sendCall(call).catch((error: unknown) => {
      // For an update or a delete, `not_found` means that the pet is missing.
      const codeWhenRemoved = call.method === 'GET' ? 'not_found' : 'method_not_allowed';
      throw isPetstoreError(error, codeWhenRemoved) ? removed(error) : error;
    });
  const getPage = createGetPage(
    send,
    { operation: 'listOrders', url: `${versionUrl}/store/orders` },
    toOrders,
  );
  const getFound = createGetPage(send, { operation: 'searchPets', url: `${versionUrl}/pets/search` }, toPets);
  const petUrl = (id: bigint): string => {
    requireBigint('id', id);
    return `${versionUrl}/pets/${id}`;
  };

  return {
    ...createEventOperations(send, versionUrl),

    async updatePet(id, changes, { ifMatch, signal } = {}) {
      const response = await send({
        operation: 'updatePet',
        method: 'PATCH',
        url: petUrl(id),
        headers: { 'Content-Type': 'application/json', ...ifMatchHeader(ifMatch) },
        body: renderChanges(changes),
        signal,
        onUncertain: refuseRetry,
      });
      return toVersionedPet(response.body, response.headers) ?? unexpectedResponse(response);
    },

    async deletePet(id, { ifMatch, signal } = {}) {
      let mayBeDone = false;
      try {
        const response = await send({
          operation: 'deletePet',
          method: 'DELETE',
          url: petUrl(id),
          headers: ifMatchHeader(ifMatch),
          signal,
          onUncertain() {
            mayBeDone = true;
          },
        });
        if (response.status !== 204) unexpectedResponse(response);
      } catch (error) {
        if (!(mayBeDone && isNotFound(error))) throw error;
      }
    },

    searchPets: (search = {}) => eachItem(getFound, search),

    async searchPetsPage(search = {}) {
      const { items, ...next } = await getFound(search);
      return { pets: items, ...next };
    },

    async getKey({ signal } = {}) {
      const url = `${versionUrl}/key`;
      const response = await send({ operation: 'getKey', method: 'GET', url, signal });
      return toKey(response.body) ?? unexpectedResponse(response);
    },

    async listOrders(list = {}) {
      const { items, ...next } = await getPage(list);
      return { orders: items, ...next };
    },

    orders: (list = {}) => eachItem(getPage, list),
  };
}

function ifMatchHeader(ifMatch: string | undefined): Record<string, string> {
  // An empty header might count as none, and the precondition would be lost.
  if (ifMatch === '') throw new TypeError('ifMatch must be an ETag, such as \'"3f2a"\', or "*".');
  return ifMatch === undefined ? {} : { 'If-Match': ifMatch };
}

function refuseRetry(error: PetstoreClientError): never {
  throw withMessage(
    error,
    `${error.message} The pet may have changed nevertheless; read it before you try again.`,
  );
}

function removed(error: PetstoreClientError): PetstoreClientError {
  return withMessage(
    error,
    'This service has no beta operations: it is older than 2.0.0, or runs with --stable-only.',
  );
}

function withMessage(cause: PetstoreClientError, message: string): PetstoreClientError {
  const { code, status, requestId, retryAfterMs } = cause;
  return new PetstoreClientError(code, message, { status, requestId, retryAfterMs, cause });
}
