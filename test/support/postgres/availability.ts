import { PetstoreError } from '../../../src/domain/error.ts';
import type { PetStore } from '../../../src/domain/store.ts';

/** Resolves when the service has noticed; the sessions of a killed server live on for a moment. */
export async function untilUnavailable(store: PetStore): Promise<void> {
  const isWritable = () =>
    store.checkWritable().then(
      () => true,
      (error: unknown) => !(error instanceof PetstoreError && error.code === 'unavailable'),
    );
  while (await isWritable()) await Bun.sleep(5);
}

/** How long the service needs until a create succeeds again. */
export async function msUntilWritable(store: PetStore): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await store.checkWritable();
      return performance.now() - startedAt;
    } catch {
      await Bun.sleep(20);
    }
  }
}
