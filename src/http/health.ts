import { PetstoreError } from '../error.ts';
import type { PetStore } from '../pet.ts';
import { jsonMediaType, type Answer } from './answer.ts';
import { cacheable, cacheHeaders } from './cacheable.ts';
import type { Handler } from './endpoint.ts';

export interface HealthOptions {
  pets: PetStore;
  isDraining: () => boolean;
  now: () => number;
}

/** Probes that come faster than this share one look at the store. */
const lookLastsMs = 1000;

export interface HealthChecks {
  livez: Handler;
  readyz: Handler;
}

export function createHealthChecks({ pets, isDraining, now }: HealthOptions): HealthChecks {
  let look: Promise<void> = Promise.resolve();
  let lookedAt = -Infinity;

  return {
    livez: ({ request }) => healthy(request),

    async readyz({ request }) {
      if (isDraining()) throw new PetstoreError('unavailable', 'The service is shutting down.');
      const time = now();
      // A clock that was set back must not keep an old look alive.
      if (time < lookedAt || time - lookedAt >= lookLastsMs) {
        lookedAt = time;
        look = pets.checkWritable();
      }
      await look;
      return healthy(request);
    },
  };
}

const body = '{"status":"ok"}';
const headers = cacheHeaders(jsonMediaType, body);

function healthy(request: Request): Answer {
  return cacheable(request, body, headers);
}
