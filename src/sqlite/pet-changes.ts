import type { Database } from 'bun:sqlite';
import { foldName } from '../domain/fold.ts';
import { parseExactJson } from '../domain/int64.ts';
import { parseNewPet } from '../domain/fields.ts';
import {
  decideDelete,
  decideUpdate,
  type DeleteRequest,
  type Refusal,
  type UpdateRequest,
} from '../domain/pet-change.ts';
import type { EventWriter } from './schema/stored-event.ts';
import type { OrderWriter } from './schema/stored-order.ts';
import { checksumOf, isIntact, storedPetColumns, type RenderedPet, type Value } from './schema/stored-pet.ts';

export interface UpdateJob extends UpdateRequest {
  kind: 'update-pet';
}

export interface DeleteJob extends DeleteRequest {
  kind: 'delete-pet';
}

export interface ChangeRunner {
  /** Returns the pet's new JSON, or why nothing was changed. */
  update(job: UpdateJob): { json: string } | Refusal | 'damaged';
  remove(job: DeleteJob): 'deleted' | Refusal | 'damaged';
}

/** Changes pets within a transaction of the writing connection. */
export function createChangeRunner(
  database: Database,
  orders: OrderWriter,
  events: EventWriter,
): ChangeRunner {
  const select = database.query<RenderedPet, [bigint]>(`SELECT ${storedPetColumns} FROM pets WHERE id = ?1`);
  const update = database.query<unknown, Value[]>(
    'UPDATE pets SET status = ?2, json = ?3, checksum = ?4, folded_name = ?5, category_id = ?6 WHERE id = ?1',
  );
  const remove = database.query<unknown, [bigint]>('DELETE FROM pets WHERE id = ?1');

  return {
    update(job) {
      const stored = select.get(job.id);
      if (stored && !isIntact(stored, job.id)) return 'damaged';
      const current = stored && { pet: parseNewPet(parseExactJson(stored.json)), json: stored.json };
      const updated = decideUpdate(current ?? undefined, job);
      if (typeof updated === 'string') return updated;
      const { pet, json, orderReturn, order, event } = updated;
      update.run(job.id, pet.status ?? null, json, checksumOf(json), foldName(pet.name), pet.categoryId);
      if (orderReturn) orders.markReturned(job.id, orderReturn);
      if (order) orders.add(order);
      if (event) events.write(event);
      return { json };
    },

    remove(job) {
      const stored = select.get(job.id);
      if (stored && !isIntact(stored, job.id)) return 'damaged';
      const decision = decideDelete(stored ?? undefined, job);
      if (typeof decision === 'string') return decision;
      remove.run(job.id);
      events.write(decision.event);
      return 'deleted';
    },
  };
}
