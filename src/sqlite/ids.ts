import type { Database } from 'bun:sqlite';
import { PetstoreError } from '../error.ts';
import { int64Range } from '../int64.ts';

/** Assigns ids to new pets: one more than the largest id ever used. */
export interface Ids {
  /** Call it at the start of every transaction that adds pets: other processes may have added some. */
  begin(): void;
  next(): bigint;
}

/** A pet's id is part of its JSON, so it is chosen before the row is written, under the write lock. */
export function createIds(database: Database): Ids {
  const selectLast = database.query<{ id: string }, []>(
    `SELECT CAST(max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0),
       coalesce((SELECT max(id) FROM pets), 0)) AS TEXT) AS id`,
  );
  let last: bigint | undefined;
  return {
    begin() {
      last = undefined;
    },
    next() {
      last ??= BigInt(selectLast.get()?.id ?? 0);
      if (last === int64Range.largest) throw new PetstoreError('unavailable', 'All ids are used up.');
      return ++last;
    },
  };
}
