import {
  type Change,
  type CreatePet,
  type CurrentPet,
  decideBatch,
  type IdempotencyHolder,
  type IdempotencyRecord,
  keyOf,
  type Outcome,
  refusalError,
  type Timed,
  type TimedChange,
} from '../../domain/change.ts';
import type { Category } from '../../domain/category.ts';
import { retentionMs } from '../../domain/history.ts';
import type { Registry } from '../../metrics/registry.ts';
import type { Log } from '../../system/log.ts';
import { type Batcher, createBatcher, createWriteMonitor } from '../batcher.ts';
import type { PetStore } from '../store.ts';
import {
  type CategoryRow,
  categoryTable,
  columnsOf,
  type IdempotencyRow,
  idempotencyTable,
} from '../tables.ts';
import {
  arrayParameters,
  arraysOf,
  lockAllCategories,
  petJsonOf,
  petOf,
  type PetRow,
  selectPetRow,
  write,
} from './rows.ts';
import { limits, type Query } from './session.ts';
import type { Sql } from './sessions.ts';

interface ApplyOptions {
  now: () => number;
  maxQueued: number;
  log: Log | undefined;
  metrics: Registry | undefined;
}

const createAdvice =
  'Repeat it with the same Idempotency-Key; without one, check first whether the pet is there.';
const changeAdvice = 'Read it again to see whether it has changed.';
const mebibyte = 1024 * 1024;
/** Everything in a change but its name is small. */
const size = { of: nameLength, maxPerBatch: mebibyte, maxWaiting: 32 * mebibyte };

/** `close` refuses new writes and waits for the pending ones. */
export function createApply(
  sql: Sql,
  { now, maxQueued, log, metrics }: ApplyOptions,
): Pick<PetStore, 'apply' | 'areWritesFailing'> & { close: () => Promise<void> } {
  const monitor = createWriteMonitor(
    {
      // The longest queue is the first to refuse.
      length: () => Math.max(...queues.map(({ length }) => length)),
      capacity: maxQueued,
    },
    { log, metrics },
  );
  const expire = createExpiry(sql, now);
  const createQueue = (advice: string): Batcher<TimedChange, Outcome> =>
    createBatcher((batch) => sql.write((query) => applyBatch(query, batch), advice).finally(expire), {
      ...{ maxLength: maxQueued, maxWaitMs: limits.queueMs, size, monitor },
    });
  // Apart, so that a create does not wait for a locked pet, nor a sale for the categories.
  const creates = createQueue(createAdvice);
  const changes = createQueue(changeAdvice);
  const categories = createQueue(changeAdvice);
  const queues = [creates, changes, categories];
  const queueOf = ({ kind }: Change): Batcher<TimedChange, Outcome> => {
    if (kind === 'create-pet') return creates;
    return kind === 'update-pet' || kind === 'delete-pet' ? changes : categories;
  };
  return {
    async apply(change) {
      const outcome = await queueOf(change).add({ ...change, at: now() });
      if (typeof outcome === 'string') throw refusalError(outcome, change);
      return outcome;
    },

    areWritesFailing: () => monitor.isFailing,

    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

function nameLength(change: TimedChange): number {
  if (change.kind === 'create-pet') return change.pet.name.length;
  return change.kind === 'update-pet' ? (change.changes.name?.length ?? 0) : 0;
}

const deletedAtOnce = 1000;
const expireEveryMs = 60_000;

/** Skips keys that a create is taking over. */
const deleteExpiredKeys = {
  name: 'delete-expired-keys',
  text: `DELETE FROM idempotency_keys WHERE (caller, key) IN (
    SELECT caller, key FROM idempotency_keys WHERE created_at < $1::bigint
    ORDER BY created_at LIMIT ${deletedAtOnce} FOR UPDATE SKIP LOCKED) RETURNING 1`,
};

/** Deletes only the oldest events and never the newest one, so ids have no gaps and are not reused. */
const deleteExpiredEvents = {
  name: 'delete-expired-events',
  text: `DELETE FROM events WHERE id < (SELECT max(id) FROM events) AND id < coalesce(
    (SELECT id FROM (SELECT id, created_at FROM events ORDER BY id LIMIT ${deletedAtOnce}) AS first
      WHERE created_at >= $1::bigint ORDER BY id LIMIT 1),
    (SELECT min(id) + ${deletedAtOnce} FROM events)) RETURNING 1`,
};

/**
 * Call it after each write: it deletes expired keys and events once a minute. Not in the write itself, which would step
 * over everything deleted since the oldest open transaction of anybody.
 */
function createExpiry(sql: Sql, now: () => number): () => void {
  let nextAt = now() + expireEveryMs;
  const expire = async (): Promise<void> => {
    const oldest = now() - retentionMs;
    for (const statement of [deleteExpiredKeys, deleteExpiredEvents])
      for (let count = deletedAtOnce; count === deletedAtOnce;)
        count = (await sql.write((query) => query(statement, [oldest]))).length;
  };
  return () => {
    if (now() < nextAt) return;
    nextAt = now() + expireEveryMs;
    // The next run deletes what a failure leaves behind.
    expire().catch(() => {});
  };
}

/**
 * Applies a batch within a transaction. Locks pets by id, then categories, then idempotency keys, and the log of events
 * last.
 */
async function applyBatch(query: Query, changes: readonly TimedChange[]): Promise<Outcome[]> {
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
  text: "SELECT string_agg(nextval('pet_ids'::regclass)::text, ' ') AS ids FROM generate_series(1, $1)",
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
  const oldest = first.createdAt.getTime() - retentionMs;
  const rows = await query<IdempotencyRow>(insertKeys, [...arraysOf(idempotencyTable, records), oldest]);
  const held = rows.map((row) => idempotencyTable.parse(row));
  const ofOthers = held.filter((record) => claims.get(keyOf(record))?.petId !== record.petId);
  return new Map(ofOthers.map((record) => [keyOf(record), record]));
}
