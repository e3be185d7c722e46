import type { Database } from 'bun:sqlite';
import { petEvent, type Origin } from '../domain/event.ts';
import type { OrderStatus } from '../domain/order.ts';
import { idempotencyRetentionMs } from '../domain/idempotency.ts';
import { renderPet, type PetStatus } from '../domain/pet.ts';
import { createIds } from './schema/ids.ts';
import { createChangeRunner, type DeleteJob, type ChangeRunner, type UpdateJob } from './pet-changes.ts';
import { insertSql } from './schema/sql.ts';
import { createEventWriter } from './schema/stored-event.ts';
import { createOrderWriter } from './schema/stored-order.ts';
import { checksumOf, storedPets } from './schema/stored-pet.ts';

/** More than one, so that the backlog shrinks; few, so that no write waits long. */
const forgottenAtOnce = 10;

/** A write that the serving thread requests and the writer thread runs. */
export type Job =
  | (Origin & {
      kind: 'create-pet';
      /** The pet's JSON after its id. */
      fields: string;
      foldedName: string;
      status: PetStatus | null;
      categoryId: bigint;
      idempotency?: { caller: string; key: string; requestHash: string };
      /** The order that the new pet requires. */
      order?: { status: OrderStatus; createdAt: number; createdBy?: string };
    })
  | UpdateJob
  | DeleteJob
  /** One statement that returns nothing. */
  | { kind: 'execute'; sql: string; values: (string | number | null)[] };

/** The result of each kind of job. */
interface Results {
  'create-pet': { id: bigint; replayed: boolean } | 'conflict';
  'update-pet': ReturnType<ChangeRunner['update']>;
  'delete-pet': ReturnType<ChangeRunner['remove']>;
  execute: null;
}

export type JobResult = Results[Job['kind']];
export type ResultOf<Asked extends Job> = Results[Asked['kind']];

/** Runs jobs within a transaction of the writing connection. */
export type JobRunner = (jobs: readonly Job[]) => JobResult[];

export function createJobRunner(database: Database): JobRunner {
  const ids = createIds(database, 'pets');
  const orders = createOrderWriter(database);
  const events = createEventWriter(database);
  const changes = createChangeRunner(database, orders, events);
  const insertPet = database.query(insertSql(storedPets));
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

  const createPet = (job: Job & { kind: 'create-pet' }): Results['create-pet'] => {
    const { fields, foldedName, status, categoryId, idempotency, order, now } = job;
    if (idempotency) {
      const oldest = now - idempotencyRetentionMs;
      forgetOld.run(oldest);
      const earlier = findEarlier.get(idempotency.caller, idempotency.key, oldest);
      if (earlier) {
        const { id, requestHash } = earlier;
        return requestHash === idempotency.requestHash ? { id: BigInt(id), replayed: true } : 'conflict';
      }
    }
    const id = ids.next();
    const json = renderPet(id, fields);
    insertPet.run(id, status, json, checksumOf(json), foldedName, categoryId);
    if (idempotency) {
      const { caller, key, requestHash } = idempotency;
      remember.run(caller, key, requestHash, id, now);
    }
    if (order) orders.add({ petId: id, ...order, createdAt: new Date(order.createdAt) });
    events.write(petEvent('pet.created', { id, json }, job));
    return { id, replayed: false };
  };

  const run = (job: Job): JobResult => {
    switch (job.kind) {
      case 'create-pet':
        return createPet(job);
      case 'update-pet':
        return changes.update(job);
      case 'delete-pet':
        return changes.remove(job);
      case 'execute':
        database.query(job.sql).run(...job.values);
        return null;
    }
  };

  return (jobs) => {
    ids.begin();
    const results = jobs.map(run);
    events.expire();
    return results;
  };
}
