import { expect } from 'bun:test';
import { PetstoreError } from '../../../src/domain/error.ts';
import type { PetStore } from '../../../src/domain/store.ts';
import { errorOf, idsOf, post } from '../http/calls.ts';
import type { Service } from '../process/process.ts';

/** Creates through the socket of a service. A 503 is the error that a store would throw; anything else fails the test. */
export function petsOver(service: Service): Pick<PetStore, 'createPet'> {
  return {
    async createPet({ name, categoryId, status }, idempotency) {
      const key = idempotency && { 'Idempotency-Key': encodeURIComponent(idempotency.key) };
      const response = await service.call(
        '/v1/pets',
        post({ name, categoryId: Number(categoryId), status }, key ?? {}),
      );
      if (response.status === 503) {
        const { code, message } = await errorOf(response);
        expect(code).toBe('unavailable');
        throw new PetstoreError('unavailable', message);
      }
      expect(response.status).toBe(201);
      const json = await response.text();
      const replayed = response.headers.get('Idempotent-Replayed') === 'true';
      return { id: BigInt(idsOf(json)[0] ?? ''), json, replayed };
    },
  };
}

/** Resolves when the service is ready; how long that took. */
export async function msUntilReady(service: Service): Promise<number> {
  const startedAt = performance.now();
  while ((await service.call('/readyz')).status !== 200) await Bun.sleep(20);
  return performance.now() - startedAt;
}

/** Resolves when the service says that it is not ready. */
export async function untilNotReady(service: Service): Promise<void> {
  while ((await service.call('/readyz')).status === 200) await Bun.sleep(20);
}
