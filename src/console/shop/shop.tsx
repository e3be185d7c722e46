import { useCallback, useState } from 'preact/hooks';
import type { Pet, PetstoreClient, PetStatus } from '../../client/index.ts';
import { AddPet } from './add-pet.tsx';
import { Filter } from './filter.tsx';
import { PetList } from './pet-list.tsx';
import { usePets } from './use-pets.ts';

export interface ShopProps {
  client: PetstoreClient;
  onRefused: () => void;
}

/** The pets and the form that adds one. */
export function Shop({ client, onRefused }: ShopProps) {
  const [status, setStatus] = useState<PetStatus>();
  const [added, setAdded] = useState<Pet[]>([]);
  const [isAdding, setIsAdding] = useState(false);
  const view = usePets(client, status, onRefused);

  const onAdded = useCallback((pet: Pet) => setAdded((pets) => [pet, ...pets]), []);
  const choose = (chosen: PetStatus | undefined) => {
    // From now on the list itself has what was added before.
    setAdded([]);
    setStatus(chosen);
  };
  const startAdding = () => {
    setIsAdding(true);
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };

  return (
    <main class="shop">
      <div class="heading">
        <h1>Pets</h1>
        <button
          type="button"
          class="primary opener"
          aria-expanded={isAdding}
          aria-controls="add-pet"
          onClick={() => (isAdding ? setIsAdding(false) : startAdding())}
        >
          {isAdding ? 'Close the form' : 'Add a pet'}
        </button>
      </div>
      <aside id="add-pet" class={isAdding ? 'adding is-open' : 'adding'} aria-labelledby="add-pet-title">
        <AddPet
          client={client}
          shown={status}
          onAdded={onAdded}
          onRefused={onRefused}
          onShowAll={() => choose(undefined)}
        />
      </aside>
      <section class="pets" aria-label="List of pets">
        <Filter chosen={status} onChoose={choose} />
        <PetList
          view={view}
          added={added}
          status={status}
          onShowAll={() => choose(undefined)}
          onAdd={startAdding}
        />
      </section>
    </main>
  );
}
