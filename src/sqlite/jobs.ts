import type { Database } from 'bun:sqlite';
import type { OrderStatus } from '../domain/order.ts';
import { idempotencyRetentionMs, renderPet, type PetStatus } from '../domain/pet.ts';
import { createIds } from './ids.ts';
import { createPetChanges, type DeleteJob, type PetChanges, type UpdateJob } from './pet-changes.ts';
import { createOrderWriter } from './stored-order.ts';
import { checksumOf, refuseUnknownStatus } from './stored-pet.ts';

/** More than one, so that old keys become fewer; few, so that nobody waits long. */
const forgottenAtOnce = 10;

/** A write that the serving thread asks for. The writer thread runs it. */
export type Job =
  | {
      kind: 'create-pet';
      /** The pet's JSON after its id. */
      fields: string;
      status: PetStatus | null;
      idempotency?: { caller: string; key: string; requestHash: string; now: number };
      /** The order that the new pet calls for. */
      order?: { status: OrderStatus; createdAt: number };
    }
  | UpdateJob
  | DeleteJob
  | {
      kind: 'create-key';
      name: string;
      hash: string;
      lastFour: string;
      isReadOnly: boolean;
      createdAt: number;
      expiresAt: number | null;
    }
  | { kind: 'revoke-key'; id: string; revokedAt: number }
  | {
      kind: 'replace-key';
      id: string;
      replacedBy: string;
      previous: string | null;
      expiresAt: number;
      now: number;
    }
  | { kind: 'record-use'; id: string; usedAt: number }
  | { kind: 'probe'; now: number };

/** What became of each kind of job. */
interface Results {
  'create-pet': { id: string; replayed: boolean } | 'conflict';
  'update-pet': ReturnType<PetChanges['update']>;
  'delete-pet': ReturnType<PetChanges['remove']>;
  'create-key': null;
  'revoke-key': null;
  'replace-key': null;
  'record-use': null;
  probe: null;
}

export type JobResult = Results[Job['kind']];
export type ResultOf<Asked extends Job> = Results[Asked['kind']];

export interface JobRunner {
  /** Call it at the start of every transaction. */
  begin(): void;
  run(job: Job): JobResult;
}

/** Prepares the statements of a writing connection and runs one job at a time, inside a transaction. */
export function createJobRunner(database: Database): JobRunner {
  const ids = createIds(database, 'pets');
  const orders = createOrderWriter(database);
  const changes = createPetChanges(database, orders);
  const insertPet = database.query('INSERT INTO pets (id, status, json, checksum) VALUES (?1, ?2, ?3, ?4)');
  // The pet may be gone: its key still replays the first response.
  const findEarlier = database.query<{ requestHash: string; id: string }, [string, string, number]>(
    `SELECT request_hash AS requestHash, CAST(pet_id AS TEXT) AS id
     FROM idempotency_keys WHERE caller = ?1 AND key = ?2 AND created_at >= ?3`,
  );
  const remember = database.query(
    // An expired key may be used again.
    'INSERT OR REPLACE INTO idempotency_keys VALUES (?1, ?2, ?3, ?4, ?5)',
  );
  const forgetOld = database.query(
    `DELETE FROM idempotency_keys WHERE (caller, key) IN (
       SELECT caller, key FROM idempotency_keys WHERE created_at < ?1 ORDER BY created_at LIMIT ${forgottenAtOnce})`,
  );

  const createPet = (job: Job & { kind: 'create-pet' }): Results['create-pet'] => {
    const { fields, status, idempotency, order } = job;
    refuseUnknownStatus(status);
    if (idempotency) {
      const oldest = idempotency.now - idempotencyRetentionMs;
      forgetOld.run(oldest);
      const earlier = findEarlier.get(idempotency.caller, idempotency.key, oldest);
      if (earlier) {
        const { id, requestHash } = earlier;
        return requestHash === idempotency.requestHash ? { id, replayed: true } : 'conflict';
      }
    }
    const id = ids.next();
    const json = renderPet(id, fields);
    insertPet.run(id, status, json, checksumOf(json));
    if (idempotency) {
      const { caller, key, requestHash, now } = idempotency;
      remember.run(caller, key, requestHash, id, now);
    }
    if (order) orders.write({ petId: id, status: order.status, createdAt: new Date(order.createdAt) });
    return { id: String(id), replayed: false };
  };

  const run = (job: Job): JobResult => {
    switch (job.kind) {
      case 'create-pet':
        return createPet(job);
      case 'update-pet':
        return changes.update(job);
      case 'delete-pet':
        return changes.remove(job);
      case 'create-key':
        database
          .query(
            `INSERT INTO api_keys (name, hash, last_four, read_only, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
          )
          .run(job.name, job.hash, job.lastFour, job.isReadOnly, job.createdAt, job.expiresAt);
        return null;
      case 'revoke-key':
        database
          .query('UPDATE api_keys SET revoked_at = ?2 WHERE CAST(id AS TEXT) = ?1 AND revoked_at IS NULL')
          .run(job.id, job.revokedAt);
        return null;
      case 'replace-key':
        database
          .query(
            `UPDATE api_keys SET replaced_by = ?2, expires_at = min(coalesce(expires_at, ?4), ?4)
             WHERE CAST(id AS TEXT) = ?1 AND CAST(replaced_by AS TEXT) IS ?3
               AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?5)`,
          )
          .run(job.id, job.replacedBy, job.previous, job.expiresAt, job.now);
        return null;
      case 'record-use':
        database.query('UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1').run(job.id, job.usedAt);
        return null;
      case 'probe':
        database.query('UPDATE write_probe SET probed_at = ?1').run(job.now);
        return null;
    }
  };

  const begin = (): void => {
    ids.begin();
    orders.begin();
  };
  return { begin, run };
}
