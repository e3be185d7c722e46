import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Changes } from '../changes/pet-actions.ts';
import type { ConsoleClient } from '../connect.ts';
import { actionOfKey, useShortcuts } from '../shortcuts.ts';
import { AddPet } from './add-pet.tsx';
import type { Row } from './data/pet-rows.ts';
import type { PetsView } from './data/use-pets.ts';
import { defaultQuery, type PetQuery } from './find/query.ts';
import { Filter, Search } from './find/search.tsx';
import { News, PetList } from './list/pet-list.tsx';
import { focusRow } from './list/use-active-row.ts';
import { PetDetails } from './pet-details.tsx';

export interface PetsProps {
  client: ConsoleClient;
  view: PetsView;
  query: PetQuery;
  changeQuery: (changes: Partial<PetQuery>) => void;
  changes: Changes | undefined;
  onShowPet: (id: bigint) => void;
  onRefused: () => void;
  /** Told beside the list. */
  children: ComponentChildren;
}

/** The list of pets, the details of one, and the form that adds one. */
export function Pets({ client, view, query, changeQuery, changes, ...page }: PetsProps) {
  const [isFormOpen, setIsFormOpen] = useState(false);
  const [choice, setChoice] = useState<{ id: bigint; isEditing: boolean }>();
  const chosen = choice && view.rows.get(choice.id);

  const openForm = () => {
    setIsFormOpen(true);
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };
  const closeDetails = () => {
    focusRow(choice?.id);
    setChoice(undefined);
  };
  useShortcuts({
    Escape: () => (chosen ? closeDetails() : changeQuery({ text: '' })),
    ...(changes && { n: openForm }),
  });

  const onRowKey = (event: KeyboardEvent, { pet, isRemoved }: Row) => {
    const action = isRemoved ? undefined : actionOfKey(event);
    if (!action) return;
    event.preventDefault();
    if (action === 'open') setChoice({ id: pet.id, isEditing: true });
    else if (action === 'remove') changes?.actions.remove(pet);
    else void changes?.actions.setStatus(pet, action);
  };

  return (
    <>
      <section class="pets" aria-label="Pet list">
        <div class="find">
          <div class="heading">
            <h1>Pets</h1>
            {changes && (
              <button
                type="button"
                class="primary form-toggle"
                aria-expanded={isFormOpen}
                aria-controls="add-pet"
                onClick={() => (isFormOpen ? setIsFormOpen(false) : openForm())}
              >
                {isFormOpen ? 'Close form' : 'Add a pet'}
              </button>
            )}
          </div>
          <Search text={query.text} onChange={(text) => changeQuery({ text })} onDown={() => focusRow()}>
            <News view={view} />
          </Search>
          <Filter chosen={query.status} onChoose={(status) => changeQuery({ status })} />
        </div>
        <PetList
          view={view}
          chosenId={choice?.id}
          changes={changes}
          onRowKey={onRowKey}
          onOpen={({ id }) => setChoice({ id, isEditing: false })}
          onShowAll={() => changeQuery(defaultQuery)}
          onAdd={openForm}
        />
      </section>
      <div class="beside">
        <div class="panels">
          {choice && chosen && !chosen.isRemoved && (
            <PetDetails
              key={chosen.pet.id.toString()}
              client={client}
              pet={chosen.pet}
              changes={changes}
              isEditing={choice.isEditing}
              onClose={closeDetails}
            />
          )}
          {changes && (
            <aside
              id="add-pet"
              class={isFormOpen ? 'add-pet is-open' : 'add-pet'}
              aria-labelledby="add-pet-title"
            >
              <AddPet
                client={client}
                onAdded={() => view.sync.refresh()}
                onRefused={page.onRefused}
                onShow={page.onShowPet}
              />
            </aside>
          )}
        </div>
        {page.children}
      </div>
    </>
  );
}
