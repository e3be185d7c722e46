import type { NewPet, Store } from 'petstore-server/embed';

/** What one commit takes. */
const batchSize = 1000;

/** Adds the pets in this order, with their orders and events, as requests would. */
export async function fillStore({ pets }: Pick<Store, 'pets'>, added: readonly NewPet[]): Promise<void> {
  for (let start = 0; start < added.length; start += batchSize) {
    const batch = added.slice(start, start + batchSize);
    await Promise.all(batch.map((pet) => pets.apply({ kind: 'create-pet', pet })));
  }
}
