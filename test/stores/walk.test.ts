import { expect, it } from 'bun:test';
import { petStatuses, type PetStatus } from '../../src/domain/pet.ts';
import { idsOf } from '../support/http/calls.ts';
import type { Store } from '../support/http/service.ts';
import { randomFrom } from '../support/random.ts';
import { onEveryStore } from '../support/stores.ts';
import { createPet, deletePet, updatePet } from '../support/changes.ts';

interface Walked {
  id: bigint;
  status: PetStatus;
  /** Whether nobody touches it during the walk. */
  isLeftAlone: boolean;
}

async function addPets({ pets }: Store, count: number): Promise<Walked[]> {
  const added = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const status = petStatuses[index % 3]!;
      const { id } = await pets.apply(createPet({ name: 'Rex', categoryId: 1n, status }));
      return { id, status, isLeftAlone: index % 4 === 0 };
    }),
  );
  return added.toSorted((one, other) => Number(one.id - other.id));
}

/** Adds a pet, and deletes or changes a few of those that are not left alone, whether they were visited or not. */
function createDisturber(store: Store, pets: Walked[], seed: number): () => Promise<void> {
  const random = randomFrom(seed);
  const victims = pets.filter(({ isLeftAlone }) => !isLeftAlone);
  return async () => {
    await store.pets.apply(createPet({ name: 'new', categoryId: 1n, status: random.pick(petStatuses) }));
    for (const victim of victims.splice(Math.floor(random.next() * victims.length), 3)) {
      const changes = { status: random.pick([...petStatuses, null]) };
      if (random.next() < 0.5) await store.pets.apply(deletePet(victim.id));
      else await store.pets.apply(updatePet(victim.id, { changes }));
    }
  };
}

onEveryStore('a walk through the pages', ({ open }) => {
  it('visits each pet once, whatever its status, if it is neither changed nor deleted meanwhile', async () => {
    const store = await open();
    for (const status of [undefined, ...petStatuses]) {
      for (const limit of [1, 4]) {
        const pets = await addPets(store, 40);
        const disturb = createDisturber(store, pets, limit);
        const walked: bigint[] = [];
        for (let after: bigint | undefined = pets[0]!.id - 1n; after !== undefined;) {
          const page = await store.pets.listPets({ limit, after, ...(status && { status }) });
          walked.push(...idsOf(page.json).map(BigInt));
          after = page.next;
          await disturb();
          // A pet that is added at the end of each page would make the walk endless.
          if (after !== undefined && pets.every(({ id }) => id < after)) break;
        }
        expect(new Set(walked).size).toBe(walked.length);
        const expected = pets.filter((pet) => pet.isLeftAlone && (status ?? pet.status) === pet.status);
        expect(walked).toEqual(expect.arrayContaining(expected.map(({ id }) => id)));
      }
    }
  });
});
