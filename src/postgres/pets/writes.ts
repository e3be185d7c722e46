import { columnsOf } from '../../domain/table.ts';
import { petEvent, type NewEvent } from '../../domain/event.ts';
import { orderFor, orderTable, type NewOrder, type OrderReturn } from '../../domain/order.ts';
import {
  decideDelete,
  decideUpdate,
  type CurrentPet,
  type DeleteRequest,
  type Refusal,
  type UpdateRequest,
} from '../../domain/pet-change.ts';
import {
  fingerprintOf,
  idempotencyRetentionMs,
  idempotencyTable,
  type Idempotency,
  type IdempotencyRow,
} from '../../domain/idempotency.ts';
import { renderFields, renderPet, type NewPet, type Pet } from '../../domain/pet.ts';
import type { CreatedPet } from '../../domain/store.ts';
import { addEvents } from '../events.ts';
import type { Query } from '../sessions/session.ts';
import type { Sql } from '../sql.ts';
import { arrayParameters, arraysOf, insertStatement, insertWithNewIds } from '../rows.ts';
import { petJsonOf, petOf, petTable, selectPetRow, type PetRow } from './pet-row.ts';

/** All requests of a batch share one transaction. The domain decides them in memory, one after another. */

export interface CreateRequest {
  pet: NewPet;
  idempotency: Idempotency | undefined;
  createdBy?: string | undefined;
}

export type CreateResult = CreatedPet | 'conflict';

const createAdvice =
  'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.';
const changeAdvice = 'Get the pet to see whether it has changed.';

const drawIds = {
  name: 'draw-ids',
  text: "SELECT string_agg(nextval('pet_ids')::text, ' ') AS ids FROM generate_series(1, $1)",
};

const insertPets = insertStatement(petTable);

/** Creates a batch of pets. If an idempotency key occurs several times, the first request holds it. */
export function createPets(sql: Sql, requests: CreateRequest[], now: number): Promise<CreateResult[]> {
  return sql.write(async (query) => {
    const [row] = await query<{ ids: string }>(drawIds, [requests.length]);
    const ids = row?.ids.split(' ') ?? [];
    const drawn = requests.map((request, index) => ({ ...request, id: ids[index] ?? '' }));
    const holders = await claimKeys(query, drawn, now);
    const pets: Pet[] = [];
    const orders: NewOrder[] = [];
    const events: NewEvent[] = [];
    const results = drawn.map(({ id, pet, idempotency, createdBy }): CreateResult => {
      const holder = holders.get(keyOf(idempotency));
      if (holder && holder.pet_id !== id) {
        // Render from the request: equal fingerprints mean equal fields.
        return holder.request_hash === fingerprintOf(pet) ? createdPet(holder.pet_id, pet, true) : 'conflict';
      }
      const created = createdPet(id, pet, false);
      pets.push({ id: created.id, ...pet });
      const order = orderFor(created.id, undefined, pet, { now, createdBy });
      if (order) orders.push(order);
      events.push(petEvent('pet.created', created, { now, createdBy }));
      return created;
    });
    if (pets.length > 0) void query(insertPets, arraysOf(petTable, pets));
    addOrders(query, orders);
    addEvents(query, events);
    return results;
  }, createAdvice);
}

function createdPet(id: string, pet: NewPet, replayed: boolean): CreatedPet {
  return { id: BigInt(id), json: renderPet(id, renderFields(pet)), replayed };
}

const keyColumns = columnsOf(idempotencyTable);

/** The new value if the key has expired, otherwise the existing one. */
const takeOver = (column: string): string =>
  `${column} = CASE WHEN held.created_at < $6::bigint THEN excluded.${column} ELSE held.${column} END`;

/**
 * Returns a row for every key, with either the new pet or the pet that already holds the key. Keys are locked in sorted
 * order, so that two replicas with common keys wait for each other and do not deadlock.
 */
const insertKeys = {
  name: 'claim-keys',
  text: `
    INSERT INTO idempotency_keys AS held (${keyColumns})
    SELECT * FROM unnest(${arrayParameters(idempotencyTable)}) AS given (${keyColumns}) ORDER BY caller, key
    ON CONFLICT (caller, key) DO UPDATE SET
      ${['request_hash', 'pet_id', 'created_at'].map(takeOver).join(', ')}
    RETURNING ${keyColumns.replace(/\w+/g, 'held.$&')}`,
};

const forgetOldKeys = {
  name: 'forget-old-keys',
  text: `DELETE FROM idempotency_keys WHERE (caller, key) IN (
    SELECT caller, key FROM idempotency_keys WHERE created_at < $1::bigint
    ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
};

async function claimKeys(
  query: Query,
  requests: (CreateRequest & { id: string })[],
  now: number,
): Promise<Map<string | undefined, IdempotencyRow>> {
  const firstByKey = new Map(requests.toReversed().map((request) => [keyOf(request.idempotency), request]));
  const records = [...firstByKey.values()].flatMap(({ id, pet, idempotency }) =>
    idempotency
      ? [{ ...idempotency, petId: BigInt(id), requestHash: fingerprintOf(pet), createdAt: new Date(now) }]
      : [],
  );
  if (records.length === 0) return new Map();
  const oldest = now - idempotencyRetentionMs;
  const values = [...arraysOf(idempotencyTable, records), oldest];
  const rows = await query<IdempotencyRow>(insertKeys, values);
  void query(forgetOldKeys, [oldest]);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Equal for requests that share an idempotency key; undefined without a key. */
function keyOf(idempotency: Idempotency | undefined): string | undefined {
  return idempotency && JSON.stringify([idempotency.caller, idempotency.key]);
}

export type ChangeRequest = ({ kind: 'update' } & UpdateRequest) | ({ kind: 'delete' } & DeleteRequest);
export type ChangeResult = { json: string } | 'deleted' | Refusal;

/** Locks in order of id, so that two replicas that change common pets wait for each other and do not deadlock. */
const lockPets = {
  name: 'lock-pets',
  text: `SELECT ${selectPetRow} FROM pets WHERE id = ANY ($1::bigint[]) ORDER BY pets.id FOR UPDATE`,
};

const petColumns = columnsOf(petTable);
const changedColumns = petColumns.replace('id, ', '');
const updatePets = {
  name: 'update-pets',
  text: `UPDATE pets SET (${changedColumns}) = ROW (${changedColumns.replace(/\w+/g, 'changed.$&')})
    FROM unnest(${arrayParameters(petTable)}) AS changed (${petColumns}) WHERE pets.id = changed.id`,
};

const deletePets = { name: 'delete-pets', text: 'DELETE FROM pets WHERE id = ANY ($1::bigint[])' };

/** An import that keeps its ids must not reuse the id of a deleted pet. */
const rememberDeletedId = {
  name: 'remember-deleted-id',
  text: `UPDATE deletions SET largest_pet_id = given.id FROM (SELECT max(id) AS id FROM unnest($1::bigint[]) AS id) AS given
    WHERE deletions.id = 1 AND largest_pet_id < given.id`,
};

/** Changes a batch of pets. A pet may occur several times. */
export function changePets(sql: Sql, requests: ChangeRequest[]): Promise<ChangeResult[]> {
  return sql.write(async (query) => {
    const ids = requests.map(({ id }) => String(id));
    const rows = await query<PetRow>(lockPets, [[...new Set(ids)]]);
    const current = new Map<string, CurrentPet>(
      rows.map((row) => [row.id, { pet: petOf(row), json: petJsonOf(row) }]),
    );
    const changed = new Map<string, Pet>();
    const deleted: string[] = [];
    const orders: NewOrder[] = [];
    const events: NewEvent[] = [];
    const returns = new Map<string, OrderReturn>();
    const results = requests.map((request, index): ChangeResult => {
      const id = ids[index] ?? '';
      if (request.kind === 'delete') {
        const decision = decideDelete(current.get(id), request);
        if (typeof decision === 'string') return decision;
        current.delete(id);
        changed.delete(id);
        deleted.push(id);
        events.push(decision.event);
        return 'deleted';
      }
      const updated = decideUpdate(current.get(id), request);
      if (typeof updated === 'string') return updated;
      current.set(id, updated);
      changed.set(id, { id: request.id, ...updated.pet });
      const { orderReturn, order, event } = updated;
      if (orderReturn) {
        // Only the first return of a batch concerns orders from before the batch.
        if (!returns.has(id)) returns.set(id, orderReturn);
        for (const own of orders)
          if (own.petId === request.id && !own.returnedAt) Object.assign(own, orderReturn);
      }
      if (order) orders.push(order);
      if (event) events.push(event);
      return updated;
    });
    if (changed.size > 0) void query(updatePets, arraysOf(petTable, [...changed.values()]));
    if (deleted.length > 0) {
      void query(deletePets, [deleted]);
      void query(rememberDeletedId, [deleted]);
    }
    markReturned(query, returns);
    addOrders(query, orders);
    addEvents(query, events);
    return results;
  }, changeAdvice);
}

const returnOrders = {
  name: 'return-orders',
  text: `UPDATE orders SET returned_at = given.returned_at, returned_by = given.returned_by
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (pet_id, returned_at, returned_by)
    WHERE orders.pet_id = given.pet_id AND orders.returned_at IS NULL`,
};

/** Marks orders from before the batch as returned. */
function markReturned(query: Query, returns: Map<string, OrderReturn>): void {
  if (returns.size === 0) return;
  const all = [...returns.values()];
  void query(returnOrders, [
    [...returns.keys()],
    all.map(({ returnedAt }) => returnedAt.getTime()),
    all.map(({ returnedBy = null }) => returnedBy),
  ]);
}

const insertOrders = insertWithNewIds(orderTable, 'order_ids');

function addOrders(query: Query, orders: NewOrder[]): void {
  const rows = orders.map((order) => ({ id: 0n, ...order }));
  if (rows.length > 0) void query(insertOrders, arraysOf(orderTable, rows));
}
