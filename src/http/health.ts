import { setTimeout as sleep } from 'node:timers/promises';
import { PetstoreError } from '../domain/error.ts';
import type { PetStore } from '../stores/store.ts';
import { errorResponse, etagOf } from './response.ts';
import type { Handler } from './route.ts';

/** Well below a scraper's default timeout of ten seconds. */
const reportWithinMs = 3000;

export function createHealthChecks(
  pets: PetStore,
  isStopping: () => boolean,
): Record<'livez' | 'readyz', Handler> & { isStoreReady: () => Promise<boolean> } {
  let check: Promise<void> | undefined;

  /** Probes need no key, so all that wait at once share one check of the store. */
  const checkStore = (): Promise<void> => {
    check ??= pets.checkWritable().finally(() => {
      check = undefined;
    });
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

const ok = '{"status":"ok"}';
const healthy = { body: ok, etag: etagOf(ok) };
