import type { PetStore } from '../../../src/stores/store.ts';
import { codeOf } from '../../support/code-of.ts';

/** What becomes of a read. No pet has this id. */
const read = (pets: PetStore): Promise<string> => codeOf(Promise.resolve(pets.getPet(0n)));

/** Resolves when the store has noticed; the sessions of a killed server live on for a moment. */
export async function untilUnavailable(pets: PetStore): Promise<void> {
  while ((await read(pets)) !== 'unavailable') await Bun.sleep(5);
}

export async function untilAvailable(pets: PetStore): Promise<void> {
  while ((await read(pets)) !== 'done') await Bun.sleep(20);
}
