import { setTimeout as sleep } from 'node:timers/promises';
import { foldName } from '../../domain/fold.ts';
import { describeError, type Log } from '../../domain/log.ts';
import type { Database } from '../database.ts';

const namesPerBatch = 1000;
const lookEveryMs = 10_000;
/** Another replica folds. If it stops, this one goes on. */
const waitForOtherMs = 1000;
/** "fold" in ASCII: one replica at a time. */
const foldingLock = 0x666f6c64;

const selectUnfolded = {
  name: 'select-unfolded',
  text: `SELECT id, name FROM pets WHERE folded_name IS NULL ORDER BY id LIMIT ${namesPerBatch}`,
};
/** Skips pets that are being changed, and those that have another name by now. */
const updateUnfolded = {
  name: 'fold-names',
  text: `
    WITH held AS (
      SELECT pets.id, given.folded_name
      FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (id, name, folded_name) JOIN pets USING (id, name)
      WHERE pets.folded_name IS NULL AND (SELECT pg_try_advisory_xact_lock(${foldingLock}))
      ORDER BY pets.id FOR UPDATE OF pets SKIP LOCKED
    )
    UPDATE pets SET folded_name = held.folded_name FROM held WHERE pets.id = held.id RETURNING 1`,
};

/** Folds the names that replicas of the release before have written, or had written before the upgrade. */
export function createNameFolder(database: Database, log: Log | undefined) {
  let folding: Promise<void> | undefined;
  let lookedAt = -Infinity;
  let isClosed = false;

  const foldAll = async (): Promise<void> => {
    for (;;) {
      const pets = await database.read<{ id: string; name: string }>(selectUnfolded);
      if (pets.length === 0 || isClosed) return;
      const ids = pets.map(({ id }) => id);
      const names = pets.map(({ name }) => name);
      const folded = await database.writeBeside(updateUnfolded, [ids, names, names.map(foldName)]);
      if (folded.length === 0 && !isClosed) await sleep(waitForOtherMs, undefined, { ref: false });
    }
  };

  return {
    /** Begins, unless it has looked a moment ago; nobody waits for it. Searches call it: an idle replica asks nothing. */
    fold: (): void => {
      if (folding || isClosed || performance.now() - lookedAt < lookEveryMs) return;
      lookedAt = performance.now();
      folding = foldAll()
        .catch((error: unknown) => {
          log?.warn('Names could not be made searchable.', { error: describeError(error) });
        })
        .finally(() => (folding = undefined));
    },
    /** Waits for the batch under way. */
    async close() {
      isClosed = true;
      await folding;
    },
  };
}
