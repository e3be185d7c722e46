import { PetstoreError } from '../error.ts';
import type { PetStore } from '../pet.ts';
import { jsonType, type Answer } from './answer.ts';
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
    livez: () => ok,

    async readyz() {
      if (isDraining()) throw new PetstoreError('unavailable', 'The service is shutting down.');
      const time = now();
      // A clock that was set back must not keep an old look alive.
      if (time < lookedAt || time - lookedAt >= lookLastsMs) {
        lookedAt = time;
        look = pets.checkWritable();
      }
      await look;
      return ok;
    },
  };
}

const ok: Answer = {
  status: 200,
  headers: { ...jsonType, 'Cache-Control': 'no-store' },
  body: '{"status":"ok"}',
};
