import { useState } from 'preact/hooks';
import type { Pet, PetstoreClient, PetStatus } from '../../client/index.ts';
import { AddPet } from './add-pet.tsx';
import { Filter } from './filter.tsx';
import { PetList } from './pet-list.tsx';
import { usePets } from './use-pets.ts';

/** The list of pets and the form that adds one. */
export function Pets({ client, onRefused }: { client: PetstoreClient; onRefused: () => void }) {
  const [status, setStatus] = useState<PetStatus>();
  const [added, setAdded] = useState<Pet[]>([]);
  const [isFormOpen, setIsFormOpen] = useState(false);
  const view = usePets(client, status, onRefused);

  const onAdded = (pet: Pet) => setAdded((pets) => [pet, ...pets]);
  const choose = (chosen: PetStatus | undefined) => {
    // The new list includes the pets that were added before.
    setAdded([]);
    setStatus(chosen);
  };
  const showAll = () => choose(undefined);
  const openForm = () => {
    setIsFormOpen(true);
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };

  return (
    <main class="store">
      <div class="heading">
        <h1>Pets</h1>
        <button
          type="button"
          class="primary form-toggle"
          aria-expanded={isFormOpen}
          aria-controls="add-pet"
          onClick={() => (isFormOpen ? setIsFormOpen(false) : openForm())}
        >
          {isFormOpen ? 'Close form' : 'Add a pet'}
        </button>
      </div>
      <aside id="add-pet" class={isFormOpen ? 'add-pet is-open' : 'add-pet'} aria-labelledby="add-pet-title">
        <AddPet client={client} shown={status} onAdded={onAdded} onRefused={onRefused} onShowAll={showAll} />
      </aside>
      <section class="pets" aria-label="Pet list">
        <Filter chosen={status} onChoose={choose} />
        <PetList view={view} added={added} status={status} onShowAll={showAll} onAdd={openForm} />
      </section>
    </main>
  );
}
