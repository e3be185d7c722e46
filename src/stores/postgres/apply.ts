import {
  type CreatePet,
  type CurrentPet,
  decideBatch,
  type IdempotencyHolder,
  type IdempotencyRecord,
  idempotencyRetentionMs,
  keyOf,
  type Outcome,
  type Timed,
  type TimedChange,
  type Writes,
} from '../../domain/change.ts';
import type { Category } from '../../domain/category.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { NewOrder, OrderReturn } from '../../domain/order.ts';
import type { Pet } from '../../domain/pet.ts';
import {
  type CategoryRow,
  categoryTable,
  columnsOf,
  eventTable,
  type IdempotencyRow,
  idempotencyTable,
  orderTable,
} from '../tables.ts';
import {
  arrayParameters,
  arraysOf,
  insertStatement,
  insertWithNewIds,
  petJsonOf,
  petOf,
  type PetRow,
  petTable,
  selectPetRow,
} from './rows.ts';
import type { Query } from './session.ts';

/**
 * Applies a batch within a transaction. Locks pets by id, then categories, then idempotency keys, and the log of events
 * last.
 */
export async function applyBatch(query: Query, changes: readonly TimedChange[]): Promise<Outcome[]> {
  const [pets, categories, newIds] = await Promise.all([
    lockPets(query, changes),
    lockCategories(query, changes),
    drawIds(query, changes),
  ]);
  const holders = await claimKeys(query, newIds);
  const { outcomes, writes } = decideBatch(changes, {
    pet: (id) => pets.get(id),
    category: (id) => categories.get(id),
    holder: (idempotency) => holders.get(keyOf(idempotency)),
    newId(create) {
      const id = newIds.get(create);
      if (id === undefined) throw new Error('No id was drawn for this create.');
      return id;
    },
  });
  write(query, writes);
  return outcomes;
}

/** In order of id, so that two replicas that change common pets wait for each other and do not deadlock. */
const selectForUpdate = {
  name: 'lock-pets',
  text: `SELECT ${selectPetRow} FROM pets WHERE id = ANY ($1::bigint[]) ORDER BY pets.id FOR UPDATE`,
};

async function lockPets(query: Query, changes: readonly TimedChange[]): Promise<Map<bigint, CurrentPet>> {
  const ids = idsOf(changes, 'pet');
  if (ids.length === 0) return new Map();
  const rows = await query<PetRow>(selectForUpdate, [ids]);
  return new Map(rows.map((row) => [BigInt(row.id), { pet: petOf(row), json: petJsonOf(row) }]));
}

/** What the changes refer to, each id once. */
function idsOf(changes: readonly TimedChange[], target: 'pet' | 'category'): string[] {
  const ids = changes.flatMap((each) =>
    'id' in each && each.kind.endsWith(target) ? [String(each.id)] : [],
  );
  return [...new Set(ids)];
}

/** All of them, because a number without a name has no row to lock. Others may still read. */
export const lockAllCategories = 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE';
/** A separate statement after the lock, so that it sees what the lock's previous holder has committed. */
const selectCategories = {
  name: 'select-locked-categories',
  text: 'SELECT id, name FROM categories WHERE id = ANY ($1::bigint[])',
};

async function lockCategories(query: Query, changes: readonly TimedChange[]): Promise<Map<bigint, Category>> {
  const ids = idsOf(changes, 'category');
  if (ids.length === 0) return new Map();
  void query(lockAllCategories);
  const rows = await query<CategoryRow>(selectCategories, [ids]);
  return new Map(rows.map(categoryTable.parse).map((category) => [category.id, category]));
}

type Create = Timed<CreatePet>;

const selectNewIds = {
  name: 'draw-ids',
  text: "SELECT string_agg(nextval('pet_ids')::text, ' ') AS ids FROM generate_series(1, $1)",
};

async function drawIds(query: Query, changes: readonly TimedChange[]): Promise<Map<Create, bigint>> {
  const creates = changes.filter((change) => change.kind === 'create-pet');
  if (creates.length === 0) return new Map();
  const [row] = await query<{ ids: string }>(selectNewIds, [creates.length]);
  const ids = row?.ids.split(' ') ?? [];
  return new Map(creates.map((create, index) => [create, BigInt(ids[index] ?? '')]));
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
    INSERT INTO idempotency_keys AS held (${keyColumns.join(', ')})
    SELECT * FROM unnest(${arrayParameters(idempotencyTable)}) AS given (${keyColumns.join(', ')})
    ORDER BY caller, key
    ON CONFLICT (caller, key) DO UPDATE SET
      ${['request_hash', 'pet_id', 'created_at'].map(takeOver).join(', ')}
    RETURNING ${keyColumns.map((column) => `held.${column}`).join(', ')}`,
};

const forgetOldKeys = {
  name: 'forget-old-keys',
  text: `DELETE FROM idempotency_keys WHERE (caller, key) IN (
    SELECT caller, key FROM idempotency_keys WHERE created_at < $1::bigint
    ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
};

/** Claims each key for the first create that has it. Returns the keys that others hold. */
async function claimKeys(
  query: Query,
  newIds: ReadonlyMap<Create, bigint>,
): Promise<Map<string, IdempotencyHolder>> {
  const claims = new Map<string, IdempotencyRecord>();
  for (const [{ idempotency, at }, petId] of newIds) {
    if (!idempotency || claims.has(keyOf(idempotency))) continue;
    claims.set(keyOf(idempotency), { ...idempotency, petId, createdAt: new Date(at) });
  }
  const records = [...claims.values()];
  const [first] = records;
  if (!first) return new Map();
  const oldest = first.createdAt.getTime() - idempotencyRetentionMs;
  const rows = await query<IdempotencyRow>(insertKeys, [...arraysOf(idempotencyTable, records), oldest]);
  void query(forgetOldKeys, [oldest]);
  const held = rows.map((row) => idempotencyTable.parse(row));
  const ofOthers = held.filter((record) => claims.get(keyOf(record))?.petId !== record.petId);
  return new Map(ofOthers.map((record) => [keyOf(record), record]));
}

const insertPets = insertStatement(petTable);

const petColumns = columnsOf(petTable);
const changedColumns = petColumns.filter((column) => column !== 'id');
const updatePets = {
  name: 'update-pets',
  text: `UPDATE pets SET (${changedColumns.join(', ')}) = ROW (${changedColumns.map((column) => `changed.${column}`).join(', ')})
    FROM unnest(${arrayParameters(petTable)}) AS changed (${petColumns.join(', ')}) WHERE pets.id = changed.id`,
};

const deletePets = { name: 'delete-pets', text: 'DELETE FROM pets WHERE id = ANY ($1::bigint[])' };

/** An import that keeps its ids must not reuse the id of a deleted pet. */
const rememberDeletedId = {
  name: 'remember-deleted-id',
  text: `UPDATE deletions SET largest_pet_id = given.id FROM (SELECT max(id) AS id FROM unnest($1::bigint[]) AS id) AS given
    WHERE deletions.id = 1 AND largest_pet_id < given.id`,
};

/** Nothing is awaited, so all of it travels with COMMIT. The keys are claimed already. */
function write(query: Query, writes: Writes): void {
  const { inserted, changed, deleted, categories, returns, orders, events } = writes;
  if (inserted.size > 0) void query(insertPets, arraysOf(petTable, petsOf(inserted)));
  if (changed.size > 0) void query(updatePets, arraysOf(petTable, petsOf(changed)));
  if (deleted.size > 0) {
    const ids = Array.from(deleted, String);
    void query(deletePets, [ids]);
    void query(rememberDeletedId, [ids]);
  }
  writeCategories(query, categories);
  markReturned(query, returns);
  addOrders(query, orders);
  addEvents(query, events);
}

function petsOf(pets: ReadonlyMap<bigint, CurrentPet>): Pet[] {
  return Array.from(pets, ([id, { pet }]) => ({ id, ...pet }));
}

const insertCategories = insertStatement(categoryTable);
const deleteCategories = {
  name: 'delete-categories',
  text: 'DELETE FROM categories WHERE id = ANY ($1::bigint[])',
};

function writeCategories(query: Query, categories: Writes['categories']): void {
  if (categories.size === 0) return;
  void query(deleteCategories, [Array.from(categories.keys(), String)]);
  const named = [...categories.values()].filter((category) => category !== undefined);
  void query(insertCategories, arraysOf(categoryTable, named));
}

const returnOrders = {
  name: 'return-orders',
  text: `UPDATE orders SET returned_at = given.returned_at, returned_by = given.returned_by
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (pet_id, returned_at, returned_by)
    WHERE orders.pet_id = given.pet_id AND orders.returned_at IS NULL`,
};

/** Marks orders from before the batch as returned. */
function markReturned(query: Query, returns: ReadonlyMap<bigint, OrderReturn>): void {
  if (returns.size === 0) return;
  const all = [...returns.values()];
  void query(returnOrders, [
    Array.from(returns.keys(), String),
    all.map(({ returnedAt }) => returnedAt.getTime()),
    all.map(({ returnedBy = null }) => returnedBy),
  ]);
}

const insertOrders = insertWithNewIds(orderTable, 'order_ids');

function addOrders(query: Query, orders: readonly NewOrder[]): void {
  const rows = orders.map((order) => ({ id: 0n, ...order }));
  if (rows.length > 0) void query(insertOrders, arraysOf(orderTable, rows));
}

/** "even" in ASCII. */
const eventLock = 0x6576656e;
const lockEvents = { name: 'lock-events', text: `SELECT pg_advisory_xact_lock(${eventLock})` };

/** A separate statement after the lock, so that it sees the newest event of the lock's previous holder. */
const insertEvents = {
  name: 'insert-events',
  text: `INSERT INTO events (${columnsOf(eventTable).join(', ')})
    SELECT (SELECT coalesce(max(id), 0) FROM events) + place, created_at, created_by, type, pet_id, json, previous
    FROM unnest(${arrayParameters(eventTable)}) WITH ORDINALITY AS given (${columnsOf(eventTable).join(', ')}, place)`,
};

/**
 * Sends a transaction's events after its other statements, together with COMMIT. Their lock is the last one taken: a
 * transaction becomes visible before it releases its locks, so ids ascend in commit order.
 */
export function addEvents(query: Query, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  void query(lockEvents);
  void query(insertEvents, arraysOf(eventTable, events));
}
