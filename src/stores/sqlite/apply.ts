import type { Database } from 'bun:sqlite';
import {
  decideBatch,
  type IdempotencyHolder,
  type IdempotencyRecord,
  idempotencyRetentionMs,
  type Known,
  type Outcome,
  type TimedChange,
  type Writes,
} from '../../domain/change.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { parseNewPet } from '../../domain/pet.ts';
import type { CategoryRow, ColumnValue } from '../tables.ts';
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

/** What the serving thread asks of the writer thread. */
export type Write = TimedChange | Statement;
export type WriteResult = Outcome | undefined;

/** A statement without a result. */
export interface Statement {
  kind: 'execute';
  sql: string;
  values: (string | number | null)[];
}

/** Runs a batch within a transaction of the writing connection. */
export type ApplyBatch = (batch: readonly Write[]) => WriteResult[];

export function createApply(database: Database): ApplyBatch {
  const ids = createIds(database, 'pets');
  const known: Known = { ...createLookups(database), newId: () => ids.next() };
  const write = createWriter(database);
  return (batch) => {
    ids.begin();
    const { outcomes, writes } = decideBatch(
      batch.filter((each) => each.kind !== 'execute'),
      known,
    );
    write(writes);
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
      const row = selectHolder.get(caller, key, at - idempotencyRetentionMs);
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
  const recordKey = createKeyRecorder(database);
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
    for (const record of writes.keys.values()) recordKey(record);
    for (const [petId, orderReturn] of writes.returns) orders.markReturned(petId, orderReturn);
    orders.add(writes.orders);
    addEvents(writes.events);
  };
}

/** More than one, so that the backlog shrinks; few, so that no write waits long. */
const forgottenAtOnce = 10;

/** Records idempotency keys, and forgets expired ones. */
function createKeyRecorder(database: Database): (record: IdempotencyRecord) => void {
  const record = database.query(
    // REPLACE, because an expired key may be used again.
    'INSERT OR REPLACE INTO idempotency_keys VALUES (?1, ?2, ?3, ?4, ?5)',
  );
  const forgetOld = database.query(
    `DELETE FROM idempotency_keys WHERE (caller, key) IN (
       SELECT caller, key FROM idempotency_keys WHERE created_at < ?1 ORDER BY created_at LIMIT ${forgottenAtOnce})`,
  );
  return ({ caller, key, requestHash, petId, createdAt }) => {
    const at = createdAt.getTime();
    forgetOld.run(at - idempotencyRetentionMs);
    record.run(caller, key, requestHash, petId, at);
  };
}
