import type { NewPet, Store } from 'petstore-server/embed';

/** The most changes of one commit. */
const batchSize = 1000;

/** Adds the pets in this order, with their orders and events, as requests would. */
export async function fillStore(store: Pick<Store, 'pets'>, pets: readonly NewPet[]): Promise<void> {
  for (let start = 0; start < pets.length; start += batchSize) {
    const batch = pets.slice(start, start + batchSize);
    await Promise.all(batch.map((pet) => store.pets.apply({ kind: 'create-pet', pet })));
  }
}
