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

/** Whether the service lives and its store can be read, for load balancers, supervisors and scrapes. */
export function createHealthChecks(
  { pets, keys, metrics, now = Date.now }: HealthOptions,
  isStopping: () => boolean,
): Record<'/livez' | '/readyz', Handler> {
  /** Reads what most requests read: a key and a pet. There is no key with this hash, and no pet with this id. */
  const readStore = async (): Promise<void> => {
    await Promise.all([keys.findKey(''), pets.getPet(0n)]);
  };

  metrics?.gauge('petstore_store_ready', 'Whether the store can be read.', () =>
    // A store that hangs is not ready.
    Promise.race([
      readStore().then(
        () => 1,
        () => 0,
      ),
      sleep(reportWithinMs, 0, { ref: false }),
    ]),
  );
  metrics?.gauge(
    'petstore_key_next_expiry_timestamp_seconds',
    'When the next key expires that nobody has revoked; +Inf if none does.',
    async () => {
      const usable = (await keys.listKeys()).filter((key) => isUsable(key, now()) && !key.revokedAt);
      return Math.min(...usable.map(({ expiresAt }) => (expiresAt ? expiresAt.getTime() / 1000 : Infinity)));
    },
  );

  return {
    '/livez': () => healthy,

    '/readyz': async () => {
      // Returned, not thrown, because the log would report an error as a failure.
      if (isStopping())
        return errorResponse(new PetstoreError('unavailable', 'The service is shutting down.'));
      await readStore();
      // Still ready: another replica would not write any better, and readers need this one.
      return pets.areWritesFailing() ? readsOnly : healthy;
    },
  };
}

const healthy = withTag('{"status":"ok"}');
const readsOnly = withTag('{"status":"ok","writes":"failing"}');

function withTag(body: string): { body: string; etag: string } {
  return { body, etag: etagOf(body) };
}
