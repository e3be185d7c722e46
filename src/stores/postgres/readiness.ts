import { randomUUID } from 'node:crypto';
import { columnsOf, eventTable, idempotencyTable, keyTable, orderTable } from '../tables.ts';
import { type Log, reasonOf } from '../../system/log.ts';
import { isSchemaError } from './errors.ts';
import { petTable } from './pets/pet-row.ts';
import type { Query } from './session.ts';
import type { Sql } from './sessions.ts';

/** Each probe inserts and deletes a row of its own: on a shared row, replicas would wait for each other's commits. */
const insertProof = { name: 'insert-proof', text: 'INSERT INTO write_probes VALUES ($1, 0, 0)' };
const deleteProof = { name: 'delete-proof', text: 'DELETE FROM write_probes WHERE replica = $1' };

/** A transaction that proves that writes work. */
export async function probe(query: Query): Promise<void> {
  const replica = randomUUID();
  void query(insertProof, [replica]);
  void query(deleteProof, [replica]);
}

const tables = [petTable, orderTable, eventTable, keyTable, idempotencyTable];
/** Fails if a table or column that requests need is missing. */
const selectSchema = {
  name: 'select-schema',
  text: `SELECT FROM event_log, deletions, ${tables
    .map((table) => `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name} LIMIT 0) AS ${table.name}`)
    .join(', ')}`,
};

/** Fails with `unavailable` if the schema was changed to one that this release cannot use. */
export function createSchemaCheck(sql: Sql, log: Log | undefined): () => Promise<void> {
  let isReported = false;
  return async () => {
    try {
      await sql.read(selectSchema);
      isReported = false;
    } catch (error) {
      if (isSchemaError(error) && !isReported) {
        log?.error('The schema was changed, and this release cannot use it.', { problem: reasonOf(error) });
        isReported = true;
      }
      throw error;
    }
  };
}
