import { randomUUID } from 'node:crypto';
import { columnsOf } from '../domain/table.ts';
import { unavailable } from '../domain/error.ts';
import { reasonOf, type Log } from '../system/log.ts';
import { eventTable } from '../domain/event.ts';
import { orderTable } from '../domain/order.ts';
import { isSchemaError } from './errors.ts';
import { newestVersion } from './migrate.ts';
import { petTable } from './pets/pet-row.ts';
import type { Query } from './sessions/session.ts';
import type { Sql } from './sql.ts';

/** Each probe inserts and deletes a row of its own: on a shared row, replicas would wait for each other's commits. */
const insertProof = { name: 'insert-proof', text: 'INSERT INTO write_probes VALUES ($1, 0, 0)' };
const deleteProof = { name: 'delete-proof', text: 'DELETE FROM write_probes WHERE replica = $1' };

/** A transaction that proves that writes work. */
export async function probe(query: Query): Promise<void> {
  const replica = randomUUID();
  void query(insertProof, [replica]);
  void query(deleteProof, [replica]);
}

/** Fails if anything that requests need is missing. */
const selectSchema = {
  name: 'select-schema',
  text: `
    SELECT version FROM petstore_schema
    LEFT JOIN (SELECT ${columnsOf(petTable)} FROM pets LIMIT 0) AS pet ON true
    LEFT JOIN (SELECT ${columnsOf(orderTable)} FROM orders LIMIT 0) AS sale ON true
    LEFT JOIN (SELECT ${columnsOf(eventTable)} FROM events LIMIT 0) AS event ON true
    LEFT JOIN (SELECT epoch FROM event_log LIMIT 0) AS log ON true`,
};

/**
 * Fails with `unavailable` if the schema was changed to one that this release cannot use. A newer version is fine: both
 * releases serve during a rolling upgrade.
 */
export function createSchemaCheck(sql: Sql, log: Log | undefined): () => Promise<void> {
  let isReported = false;
  return async () => {
    const problem = await sql.read<{ version: number }>(selectSchema).then(problemOf, (error: unknown) => {
      if (isSchemaError(error)) return reasonOf(error);
      throw error;
    });
    if (problem !== undefined && !isReported)
      log?.error('The schema was changed, and this release cannot use it.', { problem });
    isReported = problem !== undefined;
    if (isReported) throw unavailable(new Error(problem));
  };
}

function problemOf([row]: { version: number }[]): string | undefined {
  const version = row?.version ?? 0;
  return version < newestVersion ? `It has version ${version}, and ${newestVersion} is needed.` : undefined;
}
