import { setTimeout as sleep } from 'node:timers/promises';
import { PetstoreError } from '../domain/error.ts';
import { isUsable } from '../domain/api-key.ts';
import type { Registry } from '../metrics/registry.ts';
import type { ApiKeyStore, PetStore } from '../stores/store.ts';
import { etagOf } from '../domain/precondition.ts';
import { errorResponse } from './response.ts';
import type { Handler } from './route.ts';

/** Well below a scraper's default timeout of ten seconds. */
const reportWithinMs = 3000;

interface HealthOptions {
  pets: PetStore;
  keys: ApiKeyStore;
  metrics?: Registry | undefined;
  now?: () => number;
}

/** Whether the service lives and its store can be written to, for probes and for scrapes. */
export function createHealthChecks(
  { pets, keys, metrics, now = Date.now }: HealthOptions,
  isStopping: () => boolean,
): Record<'livez' | 'readyz', Handler> {
  let check: Promise<void> | undefined;

  /** Probes need no key, so all that wait at once share one check of the store. */
  const checkStore = (): Promise<void> => {
    check ??= pets.checkWritable().finally(() => {
      check = undefined;
    });
    return check;
  };

  metrics?.gauge('petstore_store_ready', 'Whether the store can be written to.', () =>
    // A store that hangs is not ready.
    Promise.race([
      checkStore().then(
        () => 1,
        () => 0,
      ),
      sleep(reportWithinMs, 0, { ref: false }),
    ]),
  );
  metrics?.gauge(
    'petstore_key_next_expiry_timestamp_seconds',
    'When the next key expires that no other replaces; +Inf if none does.',
    async () => {
      const used = (await keys.listKeys()).filter((key) => isUsable(key, now()) && !key.replacedBy);
      return Math.min(...used.map(({ expiresAt }) => (expiresAt ? expiresAt.getTime() / 1000 : Infinity)));
    },
  );

  return {
    livez: () => healthy,

    async readyz() {
      // Returned, not thrown, because the log would report an error as a failure.
      if (isStopping())
        return errorResponse(new PetstoreError('unavailable', 'The service is shutting down.'));
      await checkStore();
      return healthy;
    },
  };
}

const ok = '{"status":"ok"}';
const healthy = { body: ok, etag: etagOf(ok) };
