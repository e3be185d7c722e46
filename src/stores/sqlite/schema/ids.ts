import type { Database } from 'bun:sqlite';
import type { LastIds } from '../../../domain/bulk/bulk-store.ts';
import { idsUsedUp } from '../../../domain/error.ts';
import { int64Range } from '../../../domain/int64.ts';

/** Assigns ids to new rows: one more than the largest id ever used. */
export interface Ids {
  /** Call it at the start of every transaction that adds rows, because other processes may have added some. */
  begin(): void;
  next(): bigint;
}

/** The id is part of the JSON, so it is chosen before the row is written, under the write lock. */
export function createIds(database: Database, table: keyof LastIds): Ids {
  const readLast = createLastIdReader(database, table);
  let last: bigint | undefined;
  return {
    begin() {
      last = undefined;
    },
    next() {
      last ??= readLast();
      if (last === int64Range.largest) throw idsUsedUp();
      return ++last;
    },
  };
}

/** Reads the largest id ever used, including those of deleted rows; 0 if there is none. */
export function createLastIdReader(database: Database, table: keyof LastIds): () => bigint {
  const selectLast = database.query<{ id: string }, []>(
    `SELECT CAST(max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0),
       coalesce((SELECT max(id) FROM ${table}), 0)) AS TEXT) AS id`,
  );
  return () => BigInt(selectLast.get()?.id ?? 0);
}

export function readLastIds(database: Database): LastIds {
  return {
    pets: createLastIdReader(database, 'pets')(),
    orders: createLastIdReader(database, 'orders')(),
  };
}

/** Makes new ids follow these; never lowers them. Call it within a transaction. */
export function raiseLastIds(database: Database, ids: LastIds): void {
  const current = readLastIds(database);
  for (const table of ['pets', 'orders'] as const) {
    if (ids[table] <= current[table]) continue;
    database.query('DELETE FROM sqlite_sequence WHERE name = ?1').run(table);
    database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)').run(table, ids[table]);
  }
}
