import { setTimeout as sleep } from 'node:timers/promises';
import { PetstoreError } from '../domain/error.ts';
import type { PetStore } from '../domain/store.ts';
import { cacheable } from './conditional.ts';
import type { Handler } from './route.ts';
import { errorResponse } from './response.ts';

/** Probes that arrive within this time share one check of the store. */
const checkLastsMs = 500;
/** A scraper waits for ten seconds at most, by default. */
const reportWithinMs = 3000;

export function createHealthChecks(
  pets: PetStore,
  isStopping: () => boolean,
  now: () => number,
): Record<'livez' | 'readyz', Handler> & { isStoreReady: () => Promise<boolean> } {
  let check: Promise<void> = Promise.resolve();
  let checkedAt = -Infinity;

  const checkStore = (): Promise<void> => {
    const time = now();
    // A clock that is set back must not keep an old check alive.
    if (time < checkedAt || time - checkedAt >= checkLastsMs) {
      checkedAt = time;
      check = pets.checkWritable();
    }
    return check;
  };

  return {
    livez: () => healthy,

    async readyz() {
      // Not thrown: nothing has failed that the log would have to report.
      if (isStopping())
        return errorResponse(new PetstoreError('unavailable', 'The service is shutting down.'));
      await checkStore();
      return healthy;
    },

    /** Unlike `readyz`, it has a limit: a store that hangs must not hang what reports it. */
    isStoreReady: () =>
      Promise.race([
        checkStore().then(
          () => true,
          () => false,
        ),
        sleep(reportWithinMs, false, { ref: false }),
      ]),
  };
}

const healthy = cacheable('{"status":"ok"}');
