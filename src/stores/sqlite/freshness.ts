import type { Database } from 'bun:sqlite';
import { callerError } from './errors.ts';
import type { StoreWatch } from './watch.ts';

/** A request notices a commit of another process once the commit is this old. */
const noticedWithinMs = 1;

/**
 * Waits until services on the same file cannot miss a commit of this process. Whoever reports a change awaits it first,
 * so that the report holds for the next request.
 */
export async function untilNoticed(): Promise<void> {
  // Timers may be early by less than a millisecond.
  await Bun.sleep(noticedWithinMs + 1);
}

export type Freshness = ReturnType<typeof createFreshness>;

/**
 * Keeps reads and cached results as new as the file; fails with `unavailable` once the store is moved. SQLite is
 * asked for commits after each reply of the writer and otherwise at most once a millisecond, because asking takes longer
 * than serving a kept page. The reads between two questions share one transaction within a turn of the event loop:
 * starting and ending one costs more than reading a pet.
 */
export function createFreshness(database: Database, watch: Pick<StoreWatch, 'problem'>) {
  const begin = database.query('BEGIN');
  const rollback = database.query('ROLLBACK');
  const select = database.query<{ data_version: number }, []>('PRAGMA data_version');
  let dataVersion: number | undefined;
  let version = 0;
  let askAgainAt = 0;
  let ending: NodeJS.Immediate | undefined;

  const endRead = (): void => {
    if (!ending) return;
    clearImmediate(ending);
    ending = undefined;
    // SQLite itself ends the transaction after some errors. After others, such as a damaged page, only a COMMIT fails.
    if (database.inTransaction) rollback.run();
  };

  const check = (): void => {
    const problem = watch.problem();
    if (problem) throw problem;
    // By the monotonic clock: the time of day may be set back.
    const time = performance.now();
    if (time < askAgainAt) return;
    // The number stands still during a read transaction.
    endRead();
    const current = select.get()?.data_version;
    askAgainAt = time + noticedWithinMs;
    if (current === dataVersion) return;
    dataVersion = current;
    version += 1;
  };

  return {
    /** Call it when the writer has replied: the next read then asks SQLite. */
    noteWritten: (): void => {
      askAgainAt = 0;
    },
    /**
     * Changes with every commit by this process, and with one by another within a millisecond. Undefined if the store
     * cannot be read.
     */
    version: (): number | undefined => {
      try {
        check();
        return version;
      } catch {
        return undefined;
      }
    },
    /** Runs a query that sees every commit that {@link version} has counted. */
    read<Result>(query: () => Result): Result {
      try {
        check();
        if (!ending) {
          begin.run();
          ending = setImmediate(endRead);
        }
        return query();
      } catch (error) {
        throw callerError(error);
      }
    },
    close: endRead,
  };
}
