import type { Database } from 'bun:sqlite';
import { foldName } from '../domain/fold.ts';
import { parseExactJson } from '../domain/int64.ts';
import { orderedStatus } from '../domain/order.ts';
import { parseNewPet, renderFields, renderPet, type NewPet } from '../domain/pet.ts';
import { hasFields, withFields, type PetUpdate } from '../domain/pet-update.ts';
import type { WriteOrder } from './schema/stored-order.ts';
import {
  checksumOf,
  isIntact,
  refuseUnknownStatus,
  storedPetColumns,
  type RenderedPet,
  type Value,
} from './schema/stored-pet.ts';

export interface UpdateJob extends PetUpdate {
  kind: 'update-pet';
  id: bigint;
  /** The pet as JSON, as the caller saw it. */
  seen: string | undefined;
  now: number;
  createdBy?: string | undefined;
}

export interface DeleteJob {
  kind: 'delete-pet';
  id: bigint;
  seen: string | undefined;
}

/** Why nothing was changed. */
export type Refusal = 'missing' | 'changed' | 'damaged';

export interface ChangeRunner {
  /** The pet's new JSON. */
  update(job: UpdateJob): { json: string } | Refusal;
  remove(job: DeleteJob): 'deleted' | Refusal;
}

/**
 * Changes pets within a transaction of a writing connection. A refusal is a result, not an error: an error would undo
 * the other jobs of the batch.
 */
export function createChangeRunner(database: Database, writeOrder: WriteOrder): ChangeRunner {
  const select = database.query<RenderedPet, [bigint]>(`SELECT ${storedPetColumns} FROM pets WHERE id = ?1`);
  const update = database.query<unknown, Value[]>(
    'UPDATE pets SET status = ?2, json = ?3, checksum = ?4, folded_name = ?5 WHERE id = ?1',
  );
  const remove = database.query<unknown, [bigint]>('DELETE FROM pets WHERE id = ?1');

  const find = (id: bigint, seen: string | undefined): { json: string } | Refusal => {
    const stored = select.get(id);
    if (!stored) return 'missing';
    if (!isIntact(stored, id)) return 'damaged';
    return seen === undefined || seen === stored.json ? stored : 'changed';
  };

  return {
    update({ id, changes, expected, seen, now, createdBy }) {
      const found = find(id, seen);
      if (typeof found === 'string') return found;
      const before: NewPet = parseNewPet(parseExactJson(found.json));
      if (expected && !hasFields(before, expected)) return 'changed';
      const after = withFields(before, changes);
      const { status = null } = after;
      refuseUnknownStatus(status);
      const json = renderPet(id, renderFields(after));
      update.run(id, status, json, checksumOf(json), foldName(after.name));
      const ordered = orderedStatus(before, after);
      const by = createdBy !== undefined && { createdBy };
      if (ordered) writeOrder({ petId: id, status: ordered, createdAt: new Date(now), ...by });
      return { json };
    },

    remove({ id, seen }) {
      const found = find(id, seen);
      if (typeof found === 'string') return found;
      remove.run(id);
      return 'deleted';
    },
  };
}
