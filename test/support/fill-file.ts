import { fillStore } from '../../packages/testkit/src/sandbox/fill-store.ts';
import { createSamplePets } from '../../src/domain/sample-pets.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open.ts';

/** Adds sample pets to the store in this file, and makes the store if it is missing. */
export async function fillFile(path: string, count: number): Promise<void> {
  const store = openSqliteStore({ path });
  await fillStore(store, Array.from({ length: count }, createSamplePets(1)));
  await store.close();
}
