import type { Database } from 'bun:sqlite';
import { petEvent, type Origin } from '../domain/event.ts';
import { parseNewPet } from '../domain/fields.ts';
import { idempotencyRetentionMs } from '../domain/idempotency.ts';
import { parseExactJson } from '../domain/int64.ts';
import { orderFor } from '../domain/order.ts';
import { renderFields, renderPet, type NewPet } from '../domain/pet.ts';
import {
  decideDelete,
  decideUpdate,
  type DeleteRequest,
  type Refusal,
  type UpdateRequest,
} from '../domain/pet-change.ts';
import type { CreatedPet } from '../domain/store.ts';
import type { ColumnValue } from '../domain/table.ts';
import { createIds } from './schema/ids.ts';
import { createInsert } from './schema/sql.ts';
import { createEventWriter } from './schema/stored-event.ts';
import { createOrderWriter } from './schema/stored-order.ts';
import { isIntact, rowOfPet, storedPetColumns, storedPets, type RenderedPet } from './schema/stored-pet.ts';

/** A write that the serving thread requests and the writer thread runs. */
export type Job = CreateJob | UpdateJob | DeleteJob | ExecuteJob;

interface CreateJob extends Origin {
  kind: 'create-pet';
  pet: NewPet;
  idempotency?: { caller: string; key: string; requestHash: string } | undefined;
}

interface UpdateJob extends UpdateRequest {
  kind: 'update-pet';
}

interface DeleteJob extends DeleteRequest {
  kind: 'delete-pet';
}

/** One statement that returns nothing. */
interface ExecuteJob {
  kind: 'execute';
  sql: string;
  values: (string | number | null)[];
}

/** The result of each kind of job. */
interface Results {
  'create-pet': CreatedPet | 'conflict';
  /** The pet's new JSON, or why nothing was changed. */
  'update-pet': { json: string } | Refusal | 'damaged';
  'delete-pet': 'deleted' | Refusal | 'damaged';
  execute: null;
}

export type JobResult = Results[Job['kind']];
export type ResultOf<Asked extends Job> = Results[Asked['kind']];

/** Runs jobs within a transaction of the writing connection. */
export type JobRunner = (jobs: readonly Job[]) => JobResult[];

/** More than one, so that the backlog shrinks; few, so that no write waits long. */
const forgottenAtOnce = 10;

export function createJobRunner(database: Database): JobRunner {
  const ids = createIds(database, 'pets');
  const orders = createOrderWriter(database);
  const events = createEventWriter(database);
  const insertPets = createInsert(database, storedPets);
  const selectPet = database.query<RenderedPet, [bigint]>(
    `SELECT ${storedPetColumns} FROM pets WHERE id = ?1`,
  );
  const changePet = database.query<unknown, ColumnValue[]>(
    'UPDATE pets SET status = ?2, json = ?3, checksum = ?4, folded_name = ?5, category_id = ?6 WHERE id = ?1',
  );
  const removePet = database.query<unknown, [bigint]>('DELETE FROM pets WHERE id = ?1');
  // The pet may be deleted by now; its key still replays the first response.
  const findEarlier = database.query<{ requestHash: string; id: string }, [string, string, number]>(
    `SELECT request_hash AS requestHash, CAST(pet_id AS TEXT) AS id
     FROM idempotency_keys WHERE caller = ?1 AND key = ?2 AND created_at >= ?3`,
  );
  const remember = database.query(
    // REPLACE, because an expired key may be used again.
    'INSERT OR REPLACE INTO idempotency_keys VALUES (?1, ?2, ?3, ?4, ?5)',
  );
  const forgetOld = database.query(
    `DELETE FROM idempotency_keys WHERE (caller, key) IN (
       SELECT caller, key FROM idempotency_keys WHERE created_at < ?1 ORDER BY created_at LIMIT ${forgottenAtOnce})`,
  );
  /** The rows of a batch's new pets, inserted at its end: until the commit, a change of one of them may be a 404. */
  let created: ColumnValue[][] = [];

  const createPet = (job: CreateJob): Results['create-pet'] => {
    const { pet, idempotency, now } = job;
    const fields = renderFields(pet);
    if (idempotency) {
      const oldest = now - idempotencyRetentionMs;
      forgetOld.run(oldest);
      const earlier = findEarlier.get(idempotency.caller, idempotency.key, oldest);
      if (earlier) {
        if (earlier.requestHash !== idempotency.requestHash) return 'conflict';
        return { id: BigInt(earlier.id), json: renderPet(earlier.id, fields), replayed: true };
      }
    }
    const id = ids.next();
    const json = renderPet(id, fields);
    created.push(rowOfPet(id, pet, json));
    if (idempotency) {
      const { caller, key, requestHash } = idempotency;
      remember.run(caller, key, requestHash, id, now);
    }
    const order = orderFor(id, undefined, pet, job);
    if (order) orders.add(order);
    events.add(petEvent('pet.created', { id, json }, job));
    return { id, json, replayed: false };
  };

  const updatePet = (job: UpdateJob): Results['update-pet'] => {
    const stored = selectPet.get(job.id);
    if (stored && !isIntact(stored, job.id)) return 'damaged';
    const current = stored && { pet: parseNewPet(parseExactJson(stored.json)), json: stored.json };
    const updated = decideUpdate(current ?? undefined, job);
    if (typeof updated === 'string') return updated;
    const { pet, json, orderReturn, order, event } = updated;
    changePet.run(...rowOfPet(job.id, pet, json));
    if (orderReturn) orders.markReturned(job.id, orderReturn);
    if (order) orders.add(order);
    if (event) events.add(event);
    return { json };
  };

  const deletePet = (job: DeleteJob): Results['delete-pet'] => {
    const stored = selectPet.get(job.id);
    if (stored && !isIntact(stored, job.id)) return 'damaged';
    const decision = decideDelete(stored ?? undefined, job);
    if (typeof decision === 'string') return decision;
    removePet.run(job.id);
    events.add(decision.event);
    return 'deleted';
  };

  const run = (job: Job): JobResult => {
    switch (job.kind) {
      case 'create-pet':
        return createPet(job);
      case 'update-pet':
        return updatePet(job);
      case 'delete-pet':
        return deletePet(job);
      case 'execute':
        database.query(job.sql).run(...job.values);
        return null;
    }
  };

  return (jobs) => {
    ids.begin();
    created = [];
    const results = jobs.map(run);
    insertPets(created);
    events.flush();
    return results;
  };
}
