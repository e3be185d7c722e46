import { readCategory } from '../domain/category.ts';
import {
  type IdempotencyHolder,
  idempotencyIdOf,
  mayOrder,
  type Outcome,
  subjectOf,
  type TimedChange,
} from '../domain/change.ts';
import { type BatchState, decideBatch, type Effects } from '../domain/decide.ts';
import { type NewEvent, renderReturn, retentionMs } from '../domain/history.ts';
import { readPet } from '../domain/pet.ts';
import {
  categoryRow,
  deleteFrom,
  eventRow,
  insertInto,
  type KeyRow,
  keyRow,
  orderRow,
  petRow,
  readKey,
  selectListOf,
  updateOf,
} from './rows.ts';
import { tables } from './schema.ts';
import type { InputRow, Statement, Tx } from './statement.ts';

/**
 * Applies every change of the service: a batch locks and loads the rows that it refers to, the domain decides on them,
 * and the effects are saved. All batches take locks in one order, so they never deadlock: categories, pets by id,
 * idempotency keys by caller and key, and the log of events last.
 */
export async function applyBatch(tx: Tx, changes: readonly TimedChange[]): Promise<Outcome[]> {
  const { outcomes, effects } = decideBatch(changes, await load(tx, changes));
  save(tx, effects);
  return outcomes;
}

const lockPets: Statement = {
  name: 'lock-pets',
  input: { id: 'bigint' },
  sql: 'SELECT json FROM pets WHERE id IN (SELECT input.id FROM input) ORDER BY id FOR UPDATE',
};
const selectCategories: Statement = {
  name: 'select-locked-categories',
  input: { id: 'bigint' },
  sql: 'SELECT json FROM categories WHERE id IN (SELECT input.id FROM input)',
};
const lockKeys: Statement = {
  name: 'lock-keys',
  input: { id: 'bigint' },
  sql: `SELECT ${selectListOf('api_keys')} FROM api_keys WHERE api_keys.id IN (SELECT input.id FROM input)
    ORDER BY api_keys.id FOR UPDATE`,
};

interface JsonRow {
  json: string;
}

async function load(tx: Tx, changes: readonly TimedChange[]): Promise<BatchState> {
  const categoryIds = idsOf(changes, 'category');
  if (categoryIds.length > 0) tx.lock('categories');
  const createsOf = (kind: 'create-pet' | 'create-key') => changes.filter((change) => change.kind === kind);
  const orderCount = changes.filter(mayOrder).length;
  const [petCreates, keyCreates] = [createsOf('create-pet'), createsOf('create-key')];
  // Sent together: on PostgreSQL, each wait is a round trip.
  const [pets, categories, keys, petIds, keyIds, orderIds] = await Promise.all([
    tx.each<JsonRow>(lockPets, idsOf(changes, 'pet')),
    tx.each<JsonRow>(selectCategories, categoryIds),
    tx.each<KeyRow>(lockKeys, idsOf(changes, 'key')),
    tx.draw('pets', petCreates.length),
    tx.draw('api_keys', keyCreates.length),
    tx.draw('orders', orderCount),
  ]);
  const hasOrderIds = orderIds.length === orderCount;
  const newIds = new Map<TimedChange, bigint>();
  const assign = (creates: readonly TimedChange[], ids: readonly bigint[]): void => {
    for (const [index, create] of creates.entries()) {
      const id = ids[index];
      // Without an id for its order, a create must not claim its idempotency key either.
      if (id !== undefined && (hasOrderIds || !mayOrder(create))) newIds.set(create, id);
    }
  };
  assign(petCreates, petIds);
  assign(keyCreates, keyIds);
  return {
    pets: byId(
      pets.map(({ json }) => ({ pet: readPet(json), json })),
      ({ pet }) => pet.id,
    ),
    categories: byId(
      categories.map(({ json }) => readCategory(json)),
      ({ id }) => id,
    ),
    keys: byId(keys.map(readKey), ({ id }) => BigInt(id)),
    holders: await claimKeys(tx, newIds),
    newIds,
    orderIds,
  };
}

function byId<Value>(values: readonly Value[], idOf: (value: Value) => bigint): Map<bigint, Value> {
  return new Map(values.map((value) => [idOf(value), value]));
}

/** The ids that the changes refer to, each once. */
function idsOf(changes: readonly TimedChange[], subject: ReturnType<typeof subjectOf>): InputRow[] {
  const ids = new Set<bigint>();
  for (const change of changes) if ('id' in change && subjectOf(change) === subject) ids.add(change.id);
  return Array.from(ids, (id) => [id]);
}

/** Whether the stored key has expired when the new create arrives. */
const expiryCondition = `holder.created_at < excluded.created_at - ${retentionMs}`;
const takeOver = (column: string): string =>
  `${column} = CASE WHEN ${expiryCondition} THEN excluded.${column} ELSE holder.${column} END`;

/** Returns a row for every key, with either the new pet or the one whose create holds the key. */
const claimIdempotencyKeys: Statement = {
  name: 'claim-keys',
  input: tables.idempotency_keys,
  sql: `INSERT INTO idempotency_keys AS holder (caller, key, request_hash, pet_id, created_at)
    SELECT input.caller, input.key, input.request_hash, input.pet_id, input.created_at FROM input WHERE true
    ON CONFLICT (caller, key) DO UPDATE SET
      ${['request_hash', 'pet_id', 'created_at'].map(takeOver).join(', ')}
    RETURNING caller, key, request_hash AS "requestHash", CAST(pet_id AS text) AS "petId"`,
};

/** Claims each key for the first create that sends it. */
async function claimKeys(
  tx: Tx,
  newIds: ReadonlyMap<TimedChange, bigint>,
): Promise<Map<string, IdempotencyHolder>> {
  const claims = new Map<string, InputRow>();
  for (const [change, petId] of newIds) {
    if (change.kind !== 'create-pet' || !change.idempotency) continue;
    const { caller, key, requestHash } = change.idempotency;
    const name = idempotencyIdOf(change.idempotency);
    if (!claims.has(name)) claims.set(name, [caller, key, requestHash, petId, change.at]);
  }
  if (claims.size === 0) return new Map();
  const inOrder = [...claims].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  const rows = await tx.each<{ caller: string; key: string; requestHash: string; petId: string }>(
    claimIdempotencyKeys,
    inOrder,
  );
  return new Map(
    rows.map(({ petId, requestHash, ...row }) => [
      idempotencyIdOf(row),
      { requestHash, petId: BigInt(petId) },
    ]),
  );
}

/** Does not await the statements, so that they all travel with COMMIT. */
function save(tx: Tx, effects: Effects): void {
  const { createdPets, changedPets, deletedPets, categories, returns, orders } = effects;
  const { createdKeys, changedKeys, events } = effects;
  const put = (statement: Statement, rows: readonly InputRow[]): void => void tx.each(statement, rows);
  put(insertPets, Array.from(createdPets, petRow));
  put(updatePets, Array.from(changedPets, petRow));
  put(
    deletePets,
    Array.from(deletedPets, (id) => [id]),
  );
  const names = [...categories];
  put(
    putCategories,
    names.flatMap(([, category]) => (category ? [categoryRow(category)] : [])),
  );
  put(
    deleteCategories,
    names.flatMap(([id, category]) => (category ? [] : [[id]])),
  );
  put(
    returnOrders,
    Array.from(returns, ([petId, each]) => [petId, renderReturn(each), each.returnedAt.getTime()]),
  );
  put(insertOrders, orders.map(orderRow));
  put(insertKeys, [...createdKeys.values()].map(keyRow));
  put(updateKeys, [...changedKeys.values()].map(keyRow));
  addEvents(tx, events);
}

const insertPets = insertInto('pets');
const updatePets = updateOf('pets');
const deletePets = deleteFrom('pets');

const putCategories: Statement = {
  ...insertInto('categories'),
  sql: `${insertInto('categories').sql} WHERE true ON CONFLICT (id) DO UPDATE SET json = excluded.json`,
};
const deleteCategories = deleteFrom('categories');

/** The return replaces the closing brace of an order. */
const returnOrders: Statement = {
  name: 'return-orders',
  input: { pet_id: 'bigint', json: 'text', returned_at: 'bigint' },
  sql: `UPDATE orders SET json = substr(orders.json, 1, length(orders.json) - 1) || input.json,
    returned_at = input.returned_at FROM input WHERE orders.pet_id = input.pet_id AND orders.returned_at IS NULL`,
};
const insertOrders = insertInto('orders');

const insertKeys = insertInto('api_keys');
const updateKeys = updateOf('api_keys');

/** Ids have no gaps and follow the order of the commits, because the log is locked and keeps its newest event. */
const insertEvents: Statement = {
  name: 'insert-events',
  input: { json: 'text', type: 'text', pet_id: 'bigint', created_at: 'bigint' },
  sql: `INSERT INTO events (id, json, type, pet_id, created_at)
    SELECT (SELECT coalesce(max(id), 0) FROM events) + input.place, input.json, input.type, input.pet_id,
      input.created_at FROM input`,
};

/**
 * Adds the events of a transaction as its last statements. Their lock is the last one taken: a transaction becomes
 * visible before it releases its locks, so ids ascend in the order of the commits.
 */
function addEvents(tx: Tx, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  tx.lock('events');
  void tx.each(insertEvents, events.map(eventRow));
}

const deleteAllEvents: Statement = {
  name: 'delete-all-events',
  input: {},
  sql: 'DELETE FROM events',
};
const setEpoch: Statement = {
  name: 'set-epoch',
  input: { epoch: 'text' },
  sql: 'UPDATE event_log SET epoch = input.epoch FROM input',
};

/** Starts a new log of events, which is empty. Cursors of the previous log are refused. */
export function beginLog(tx: Tx): void {
  const epoch = crypto.randomUUID().replaceAll('-', '');
  void tx.each(deleteAllEvents, [[]]);
  void tx.each(setEpoch, [[epoch]]);
}

/** Deletes from the oldest event up to the first that has not expired, or the newest. */
const deleteEvents: Statement = {
  name: 'delete-expired-events',
  input: { count: 'bigint', before: 'bigint' },
  sql: `DELETE FROM events WHERE id < (
      SELECT first.id FROM events AS first
      WHERE first.created_at >= (SELECT input.before FROM input)
        OR first.id >= (SELECT min(id) FROM events) + (SELECT input.count FROM input)
        OR first.id = (SELECT max(id) FROM events)
      ORDER BY first.id LIMIT 1)
    RETURNING 1`,
};
const deleteIdempotencyKeys: Statement = {
  name: 'delete-expired-keys',
  input: { count: 'bigint', before: 'bigint' },
  sql: `DELETE FROM idempotency_keys WHERE (caller, key) IN (
      SELECT old.caller, old.key FROM idempotency_keys AS old
      WHERE old.created_at < (SELECT input.before FROM input)
      ORDER BY old.created_at LIMIT (SELECT input.count FROM input) FOR UPDATE OF old SKIP LOCKED)
    RETURNING 1`,
};

/** Deletes at most `count` expired events and as many idempotency keys. Returns the larger number of deleted rows. */
export async function deleteExpired(tx: Tx, now: number, count: number): Promise<number> {
  const [events, keys] = await Promise.all([
    tx.each(deleteEvents, [[count, now - retentionMs]]),
    tx.each(deleteIdempotencyKeys, [[count, now - retentionMs]]),
  ]);
  return Math.max(events.length, keys.length);
}
