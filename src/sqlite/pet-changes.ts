import type { Database } from 'bun:sqlite';
import { parseExactJson } from '../domain/int64.ts';
import { orderedStatus } from '../domain/order.ts';
import { parseNewPet, renderFields, renderPet, type NewPet, type PetStatus } from '../domain/pet.ts';
import { hasFields, withFields, type PetFields } from '../domain/pet-update.ts';
import type { OrderWriter } from './stored-order.ts';
import {
  checksumOf,
  isIntact,
  refuseUnknownStatus,
  storedPetColumns,
  type RenderedPet,
  type Value,
} from './stored-pet.ts';

/** Fields of a pet on their way to the writer thread: JSON has no bigint. */
export interface SentFields {
  name?: string;
  categoryId?: string;
  status?: PetStatus | null;
}

export interface UpdateJob {
  kind: 'update-pet';
  id: string;
  changes: SentFields;
  expected?: SentFields;
  /** The pet as JSON, as the caller saw it. */
  seen?: string;
  now: number;
}

export interface DeleteJob {
  kind: 'delete-pet';
  id: string;
  seen?: string;
}

/** Why nothing was changed. */
export type Refusal = 'missing' | 'changed' | 'damaged';

export interface PetChanges {
  /** The pet's new JSON. */
  update(job: UpdateJob): { json: string } | Refusal;
  remove(job: DeleteJob): 'deleted' | Refusal;
}

/**
 * Changes pets within a transaction of a writing connection. A refusal is a result, not an error: an error would undo
 * the other jobs of the batch.
 */
export function createPetChanges(database: Database, orders: OrderWriter): PetChanges {
  const select = database.query<RenderedPet, [bigint]>(`SELECT ${storedPetColumns} FROM pets WHERE id = ?1`);
  const update = database.query<unknown, Value[]>(
    'UPDATE pets SET status = ?2, json = ?3, checksum = ?4 WHERE id = ?1',
  );
  const remove = database.query<unknown, [bigint]>('DELETE FROM pets WHERE id = ?1');

  const find = (id: bigint, seen: string | undefined): { json: string } | Refusal => {
    const stored = select.get(id);
    if (!stored) return 'missing';
    if (!isIntact(stored, id)) return 'damaged';
    return seen === undefined || seen === stored.json ? stored : 'changed';
  };

  return {
    update({ id: sentId, changes, expected, seen, now }) {
      const id = BigInt(sentId);
      const found = find(id, seen);
      if (typeof found === 'string') return found;
      const before: NewPet = parseNewPet(parseExactJson(found.json));
      if (expected && !hasFields(before, receivedFields(expected))) return 'changed';
      const after = withFields(before, receivedFields(changes));
      const { status = null } = after;
      refuseUnknownStatus(status);
      const json = renderPet(id, renderFields(after));
      update.run(id, status, json, checksumOf(json));
      const ordered = orderedStatus(before, after);
      if (ordered) orders.write({ petId: id, status: ordered, createdAt: new Date(now) });
      return { json };
    },

    remove({ id: sentId, seen }) {
      const id = BigInt(sentId);
      const found = find(id, seen);
      if (typeof found === 'string') return found;
      remove.run(id);
      return 'deleted';
    },
  };
}

export function sentFields({ categoryId, ...others }: PetFields): SentFields {
  return { ...others, ...(categoryId !== undefined && { categoryId: String(categoryId) }) };
}

function receivedFields({ categoryId, ...others }: SentFields): PetFields {
  return { ...others, ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }) };
}
