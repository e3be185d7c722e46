import type { PetStore } from '../../../src/stores/store.ts';
import { codeOf } from '../code-of.ts';

/** Resolves when the store has noticed; the sessions of a killed server live on for a moment. */
export async function untilUnavailable(pets: PetStore): Promise<void> {
  while ((await codeOf(pets.checkWritable())) !== 'unavailable') await Bun.sleep(5);
}

export async function untilWritable(pets: PetStore): Promise<void> {
  while ((await codeOf(pets.checkWritable())) !== 'done') await Bun.sleep(20);
}
