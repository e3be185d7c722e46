import { fillStore } from '../../../packages/testkit/src/sandbox/fill-store.ts';
import type { NewPet } from '../../../src/domain/pet.ts';
import { openListeningService, type ListeningService } from './listening.ts';
import { openTemporarySqlite } from './service.ts';

/** The service on an embedded store that holds these pets from the start. */
export async function openServiceOnFile(pets: readonly NewPet[]): Promise<ListeningService> {
  return openListeningService({
    async openStore() {
      const store = await openTemporarySqlite();
      await fillStore(store, pets);
      return store;
    },
  });
}
