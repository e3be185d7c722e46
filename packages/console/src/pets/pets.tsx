import { useMemo, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.tsx';
import type { ConsoleClient } from '../console-client.ts';
import { useShortcuts } from '../shortcuts.ts';
import { AddPet } from './add-pet.tsx';
import { Filter } from './find/filter.tsx';
import { findPets } from './find/find-pets.ts';
import { PetList } from './list/pet-list.tsx';
import { defaultQuery } from './find/query.ts';
import { Search } from './find/search.tsx';
import { Announcement, FullNotice, SyncBar } from './list/sync-state.tsx';
import { usePets } from './data/use-pets.ts';
import { useQuery } from './find/use-query.ts';

/** The list of pets and the form that adds one. */
export function Pets({ client, onRefused }: { client: ConsoleClient; onRefused: () => void }) {
  const [query, changeQuery] = useQuery();
  const [isFormOpen, setIsFormOpen] = useState(false);
  const view = usePets(client, onRefused);
  const { collection } = view;
  const found = useMemo(
    () => findPets(collection.pets, query),
    // The collection changes in place; its clock tells when.
    [collection, collection.clock, query],
  );
  const searchBox = useRef<HTMLInputElement>(null);
  const enterList = useRef<() => void>(null);

  const changes = useChanges({ client, collection, shown: found.pets, enterList, onRefused });

  const showAll = () => changeQuery({ text: defaultQuery.text, status: defaultQuery.status });
  const openForm = () => {
    setIsFormOpen(true);
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };
  const goToSearch = () => {
    searchBox.current?.focus();
    searchBox.current?.select();
  };
  useShortcuts({ '/': goToSearch, n: openForm, Escape: () => changeQuery({ text: '' }) });

  return (
    <main class="store">
      <section class="pets" aria-label="Pet list">
        <div class="find">
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
          <Search query={query} onChange={changeQuery} box={searchBox} onDown={() => enterList.current?.()} />
          <Filter
            chosen={query.status}
            counts={found.counts}
            onChoose={(status) => changeQuery({ status })}
          />
        </div>
        <FullNotice view={view} />
        <PetList
          view={view}
          found={found}
          query={query}
          enter={enterList}
          rowParts={changes.rowParts}
          onShowAll={showAll}
          onAdd={openForm}
        />
        <SyncBar view={view} />
        {changes.overlays}
        {view.phase !== 'loading' && <Announcement count={found.pets.length} />}
      </section>
      <aside id="add-pet" class={isFormOpen ? 'add-pet is-open' : 'add-pet'} aria-labelledby="add-pet-title">
        <AddPet
          client={client}
          shown={query}
          onAdded={(pet) => collection.add(pet)}
          onRefused={onRefused}
          onShowAll={showAll}
        />
      </aside>
    </main>
  );
}
