import type { Database } from 'bun:sqlite';
import { int64Range } from '../../domain/int64.ts';
import type { DrawnTable, Tx } from '../statement.ts';
import { createStatements } from './statements.ts';

/**
 * The statements of a transaction on a connection that has begun it. Nothing else may run on the thread while it lasts:
 * another writer of the process would wait for its lock for ever.
 */
export function createTx(database: Database): Tx {
  const statements = createStatements(database);
  return {
    each: (statement, rows) => statements.each(statement, rows),
    /** Reads the last id each time, because other processes may have added rows. */
    draw(table, count) {
      if (count === 0) return [];
      const last = readLastId(database, table);
      const remaining = int64Range.largest - last;
      const length = remaining < BigInt(count) ? Number(remaining) : count;
      return Array.from({ length }, (_, index) => last + BigInt(index + 1));
    },
    // The transaction holds the lock of the whole file.
    lock() {},
  };
}

/** The largest id ever used, including those of deleted rows; 0 if there is none. */
export function readLastId(database: Database, table: DrawnTable): bigint {
  const select = database.query<{ id: string }, []>(
    `SELECT CAST(max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0),
       coalesce((SELECT max(id) FROM ${table}), 0)) AS TEXT) AS id`,
  );
  return BigInt(select.get()?.id ?? 0);
}

/** Makes new ids follow this one, unless a larger one was used. */
export function raiseLastId(database: Database, table: DrawnTable, id: bigint): void {
  if (id <= readLastId(database, table)) return;
  database.query('DELETE FROM sqlite_sequence WHERE name = ?1').run(table);
  database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)').run(table, id);
}
