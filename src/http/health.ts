import { PetstoreError } from '../error.ts';
import type { PetStore } from '../pet.ts';
import { jsonMediaType, type Answer } from './response.ts';
import { cacheable, cacheHeaders } from './cacheable.ts';
import type { Handler } from './endpoint.ts';

export interface HealthOptions {
  pets: PetStore;
  isStopping: () => boolean;
  now: () => number;
}

/** Probes that come faster than this share one check of the store. */
const checkLastsMs = 500;

export interface HealthChecks {
  livez: Handler;
  readyz: Handler;
}

export function createHealthChecks({ pets, isStopping, now }: HealthOptions): HealthChecks {
  let check: Promise<void> = Promise.resolve();
  let checkedAt = -Infinity;

  return {
    livez: ({ request }) => healthy(request),

    async readyz({ request }) {
      if (isStopping()) throw new PetstoreError('unavailable', 'The service is shutting down.');
      const time = now();
      // A clock that was set back must not keep an old check alive.
      if (time < checkedAt || time - checkedAt >= checkLastsMs) {
        checkedAt = time;
        check = pets.checkWritable();
      }
      await check;
      return healthy(request);
    },
  };
}

const body = '{"status":"ok"}';
const headers = cacheHeaders(jsonMediaType, body);

function healthy(request: Request): Answer {
  return cacheable(request, body, headers);
}
