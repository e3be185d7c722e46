import type { Database } from 'bun:sqlite';
import {
  decideBatch,
  type IdempotencyHolder,
  type Known,
  type Outcome,
  type TimedChange,
  type Writes,
} from '../../domain/change.ts';
import { retentionMs } from '../../domain/history.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { parseNewPet } from '../../domain/pet.ts';
import type { CategoryRow, ColumnValue } from '../tables.ts';
import { connect, useWal } from './connect.ts';
import { describeFailure, storeMoved, callerErrorOfCommit, type Failure } from './errors.ts';
import type { StoreFile } from './file.ts';
import {
  type Checked,
  createEventWriter,
  createIds,
  createInsert,
  createOrderWriter,
  isIntact,
  type RenderedPet,
  rowOfPet,
  storedCategories,
  storedPetColumns,
  storedPets,
} from './rows.ts';
import { isInPlace, whenFree, whileInPlace } from './watch.ts';

/** The thread that owns the writing connection. One disk sync serves all writes of a batch. */

/** What the serving thread asks of the writer thread. */
export type Write = TimedChange | Statement;
export type WriteResult = Outcome | undefined;

/** A statement without a result. */
export interface Statement {
  kind: 'execute';
  sql: string;
  values: (string | number | null)[];
}

/** What became of a batch. After a failure, none of it was written. */
export type Reply = { results: WriteResult[] } | { failure: Failure };

declare const self: Worker;

let store: StoreFile;
let connection: ReturnType<typeof openConnection> | undefined;
/** Once true, nothing is written, even if the file comes back: others may have written in between. */
let isLost = false;

self.onmessage = ({ data }: MessageEvent<StoreFile | Write[] | 'close'>) => {
  if (data === 'close') {
    connection?.database.close();
    self.postMessage('closed');
  } else if (Array.isArray(data)) {
    self.postMessage(runBatch(data));
  } else {
    store = data;
  }
};

/** Only commits in the file under the store's name may be acknowledged. */
function runBatch(writes: Write[]): Reply {
  try {
    if (isLost) throw storeMoved(store);
    const results = whileInPlace(store, () => {
      const { begin, apply, commit } = (connection ??= openConnection());
      whenFree(() => begin.run());
      const applied = apply(writes);
      commit();
      return applied;
    });
    return { results };
  } catch (error) {
    isLost ||= !isInPlace(store);
    // After a failed sync, the connection's memory cannot be trusted.
    if (connection) abandon(connection.database);
    connection = undefined;
    return { failure: describeFailure(error) };
  }
}

function openConnection() {
  const database = connect(store);
  try {
    useWal(database);
    // `whenFree` does the waiting from here on.
    database.run('PRAGMA busy_timeout = 0');
    const commit = database.query('COMMIT');
    return {
      database,
      begin: database.query('BEGIN IMMEDIATE'),
      apply: createApply(database),
      commit: (): void => {
        try {
          commit.run();
        } catch (error) {
          throw callerErrorOfCommit(error);
        }
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Never throws, so that the caller sees why the batch failed. */
function abandon(database: Database): void {
  try {
    if (database.inTransaction) database.run('ROLLBACK');
  } catch {
    // The connection is abandoned in any case.
  }
  database.close();
}

/** Applies a batch within a transaction of the writing connection. */
function createApply(database: Database): (batch: readonly Write[]) => WriteResult[] {
  const ids = createIds(database, 'pets');
  const known: Known = { ...createLookups(database), newId: () => ids.next() };
  const write = createWriter(database);
  const expire = createExpiry(database);
  return (batch) => {
    ids.begin();
    const changes = batch.filter((each) => each.kind !== 'execute');
    const { outcomes, writes } = decideBatch(changes, known);
    write(writes);
    expire(changes);
    if (outcomes.length === batch.length) return outcomes;
    // Statements concern other tables than changes do, so they may run after them.
    const inOrder = outcomes.values();
    return batch.map((each) => {
      if (each.kind !== 'execute') return inOrder.next().value;
      database.query(each.sql).run(...each.values);
      return undefined;
    });
  };
}

function createLookups(database: Database): Omit<Known, 'newId'> {
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );
  const selectCategory = database.query<Checked<CategoryRow>, [bigint]>(
    `SELECT ${storedCategories.selected} FROM categories WHERE id = ?1`,
  );
  // The pet may be deleted by now; its key still replays the first response.
  const selectHolder = database.query<Record<keyof IdempotencyHolder, string>, [string, string, number]>(
    `SELECT request_hash AS requestHash, CAST(pet_id AS TEXT) AS petId
     FROM idempotency_keys WHERE caller = ?1 AND key = ?2 AND created_at >= ?3`,
  );
  return {
    pet(id) {
      const stored = selectPet.get(id);
      if (!stored) return undefined;
      if (!isIntact(stored, id)) return 'damaged';
      return { pet: parseNewPet(parseExactJson(stored.json)), json: stored.json };
    },
    category(id) {
      const stored = selectCategory.get(id);
      return stored ? (storedCategories.parse(stored) ?? 'damaged') : undefined;
    },
    holder({ caller, key }, at) {
      const row = selectHolder.get(caller, key, at - retentionMs);
      return row ? { ...row, petId: BigInt(row.petId) } : undefined;
    },
  };
}

function createWriter(database: Database): (writes: Writes) => void {
  const insertPets = createInsert(database, storedPets);
  const changePet = database.query<unknown, ColumnValue[]>(
    'UPDATE pets SET status = ?2, json = ?3, checksum = ?4, folded_name = ?5, category_id = ?6 WHERE id = ?1',
  );
  const deletePet = database.query<unknown, [bigint]>('DELETE FROM pets WHERE id = ?1');
  const putCategory = database.query<unknown, ColumnValue[]>(
    'INSERT OR REPLACE INTO categories VALUES (?1, ?2, ?3)',
  );
  const deleteCategory = database.query<unknown, [bigint]>('DELETE FROM categories WHERE id = ?1');
  // REPLACE, because an expired key may be used again.
  const recordKey = database.query<unknown, ColumnValue[]>(
    'INSERT OR REPLACE INTO idempotency_keys VALUES (?1, ?2, ?3, ?4, ?5)',
  );
  const orders = createOrderWriter(database);
  const addEvents = createEventWriter(database);
  return (writes) => {
    insertPets(Array.from(writes.inserted, ([id, { pet, json }]) => rowOfPet(id, pet, json)));
    for (const [id, { pet, json }] of writes.changed) changePet.run(...rowOfPet(id, pet, json));
    for (const id of writes.deleted) deletePet.run(id);
    for (const [id, category] of writes.categories) {
      if (category) putCategory.run(...storedCategories.valuesOf(category));
      else deleteCategory.run(id);
    }
    for (const { caller, key, requestHash, petId, createdAt } of writes.keys.values()) {
      recordKey.run(caller, key, requestHash, petId, createdAt.getTime());
    }
    for (const [petId, orderReturn] of writes.returns) orders.markReturned(petId, orderReturn);
    orders.add(writes.orders);
    addEvents(writes.events);
  };
}

const deleteExpiredKeys = `
  DELETE FROM idempotency_keys WHERE (caller, key) IN (
    SELECT caller, key FROM idempotency_keys WHERE created_at < ?2 ORDER BY created_at LIMIT ?1)`;

/**
 * Deletes the events before the first one that stays: a young one, the newest, or the one after ?1 others. So ids have
 * no gaps and are not reused, and one scan from the oldest event finds the bound.
 */
const deleteExpiredEvents = `
  DELETE FROM events WHERE id < (
    SELECT id FROM events
    WHERE created_at >= ?2 OR id >= (SELECT min(id) + ?1 FROM events) OR id = (SELECT max(id) FROM events)
    ORDER BY id LIMIT 1)`;

/** Of each kind: enough for a store to shrink soon after an import, and so few that no write waits long. */
const leastPortion = 100;

/** Deletes expired idempotency keys and events with every batch, more than it can have added. */
function createExpiry(database: Database): (changes: readonly TimedChange[]) => void {
  const statements = [deleteExpiredKeys, deleteExpiredEvents].map((sql) =>
    database.query<unknown, [number, number]>(sql),
  );
  return (changes) => {
    const last = changes.at(-1);
    if (!last) return;
    const portion = Math.max(leastPortion, 2 * changes.length);
    for (const statement of statements) statement.run(portion, last.at - retentionMs);
  };
}
