import { PetstoreError } from '../error.ts';
import type { PetStore } from '../pet.ts';
import { cacheable } from './conditional.ts';
import type { Handler } from './endpoint.ts';

/** Probes that arrive within this time share one check of the store. */
const checkLastsMs = 500;

export function createHealthChecks(
  pets: PetStore,
  isStopping: () => boolean,
  now: () => number,
): Record<'livez' | 'readyz', Handler> {
  let check: Promise<void> = Promise.resolve();
  let checkedAt = -Infinity;

  return {
    livez: () => healthy,

    async readyz() {
      if (isStopping()) throw new PetstoreError('unavailable', 'The service is shutting down.');
      const time = now();
      // A clock that is set back must not keep an old check alive.
      if (time < checkedAt || time - checkedAt >= checkLastsMs) {
        checkedAt = time;
        check = pets.checkWritable();
      }
      await check;
      return healthy;
    },
  };
}

const healthy = cacheable('{"status":"ok"}');
