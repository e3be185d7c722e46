import { setTimeout as sleep } from 'node:timers/promises';
import { PetstoreError } from '../domain/error.ts';
import type { PetStore } from '../domain/store.ts';
import { cacheable } from './conditional.ts';
import type { Handler } from './route.ts';
import { errorResponse } from './response.ts';

/** Probes that arrive within this time share one check of the store. */
const checkLastsMs = 500;
/** Well below a scraper's default timeout of ten seconds. */
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
    // Do not let a clock that is set back keep an old check alive.
    if (time < checkedAt || time - checkedAt >= checkLastsMs) {
      checkedAt = time;
      check = pets.checkWritable();
    }
    return check;
  };

  return {
    livez: () => healthy,

    async readyz() {
      // Returned, not thrown, because the log would report an error as a failure.
      if (isStopping())
        return errorResponse(new PetstoreError('unavailable', 'The service is shutting down.'));
      await checkStore();
      return healthy;
    },

    /** Unlike `readyz`, this has a time limit: a hanging store must not hang the metrics. */
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
