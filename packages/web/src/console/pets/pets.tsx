import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Key, Pet, PetstoreClient } from '../../../../client/src/index.ts';
import type { Notes } from '../changes/notes.ts';
import type { Changes } from '../changes/pet-actions.ts';
import { language } from '../day.ts';
import { actionOfKey, useShortcuts } from '../shortcuts.ts';
import { AddPet } from './add-pet.tsx';
import type { Row } from './data/pet-rows.ts';
import type { PetsView } from './data/use-pets.ts';
import { defaultQuery, type PetQuery } from './find/query.ts';
import { CategoryFilter, Filter, focusSearch, FoundCategories, Search } from './find/search.tsx';
import { News, PetList } from './list/pet-list.tsx';
import { focusRow } from './list/use-active-row.ts';
import { useArrival } from './list/use-arrival.ts';
import { PetDetails } from './pet-details.tsx';

export interface PetsProps {
  client: PetstoreClient;
  view: PetsView;
  query: PetQuery;
  changeQuery: (changes: Partial<PetQuery>) => void;
  apiKey: Key | undefined;
  notes: Notes;
  changes: Changes | undefined;
  /** The reason why nothing can be changed, if there is one. */
  whyNot: string | undefined;
  /** Told beside the list. */
  children: ComponentChildren;
}

/** The list of pets, the details of one, and the form that adds one. */
export function Pets({ client, view, query, changeQuery, notes, changes, ...page }: PetsProps) {
  const [isFormOpen, setIsFormOpen] = useState(false);
  const [choice, setChoice] = useState<{ id: bigint; isEditing: boolean }>();
  const chosen = choice && view.rows.get(choice.id);
  const areDetailsOpen = chosen !== undefined && !chosen.isRemoved;
  const isWide = useIsWide();
  const list = useRef<HTMLDivElement>(null);
  const openForm = () => {
    setIsFormOpen(true);
    setChoice(undefined);
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };
  useEffect(() => {
    if (!changes?.additions.isFormWanted) return;
    changes.additions.isFormWanted = false;
    openForm();
  });
  const closeDetails = () => {
    focusRow(choice?.id);
    setChoice(undefined);
  };
  const refuse = () => notes.say(page.whyNot ?? 'Go to a pet first, with the arrow keys.');
  useShortcuts({
    ...{ s: refuse, p: refuse, a: refuse, e: refuse, Delete: refuse },
    Escape: () => (chosen ? closeDetails() : changeQuery({ text: '' })),
    ArrowDown: () => focusRow(),
    ArrowUp: () => focusRow(),
    n: changes ? openForm : refuse,
  });

  /** Whoever has searched for a pet and sold it searches for the next one. On a phone, that would open the keyboard. */
  const goOn = () => {
    if (query.text !== '' && matchMedia('(hover: hover)').matches) focusSearch();
  };
  const sell = (pet: Pet) => {
    void changes?.actions.setStatus(pet, 'sold');
    goOn();
  };
  const { enter, ...guard } = useArrival(list, view, query, notes, (id) => {
    if (!changes) return refuse();
    void changes.actions.sell(id);
    goOn();
  });

  const onRowKey = (event: KeyboardEvent, { pet, isRemoved }: Row) => {
    const action = actionOfKey(event);
    if (!action) return;
    event.preventDefault();
    if (isRemoved) notes.say(pet, ' is removed already.');
    else if (action === 'open') setChoice({ id: pet.id, isEditing: true });
    else if (!changes) refuse();
    else if (action === 'remove' && !changes.mayDelete)
      notes.say('This key may not delete. Nothing was done.');
    else if (action === 'remove') changes.actions.remove(pet);
    else if (action === 'sold') sell(pet);
    else void changes.actions.setStatus(pet, action);
  };

  return (
    <>
      <section class="pets" aria-label="Pet list">
        <h1 class="visually-hidden">Pets</h1>
        <div class="find">
          <Search text={query.text} onChange={(text) => changeQuery({ text })} onDown={enter}>
            <News view={view} />
          </Search>
          <CategoryFilter chosen={query.category} onChoose={(category) => changeQuery({ category })} />
          <Filter chosen={query.status} onChoose={(status) => changeQuery({ status })} />
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
        <div ref={list} class="list" tabIndex={-1} {...guard}>
          <FoundCategories
            query={view.sync.query}
            onChoose={(category) => {
              list.current?.focus();
              changeQuery({ text: '', category });
            }}
          />
          <PetList
            view={view}
            chosenId={choice?.id}
            changes={changes}
            onRowKey={onRowKey}
            onSell={sell}
            onOpen={({ id }) => setChoice({ id, isEditing: false })}
            onShowAll={() => changeQuery(defaultQuery)}
            onAdd={openForm}
          />
        </div>
      </section>
      <div class="beside">
        <div class="panels">
          {areDetailsOpen && (
            <PetDetails
              key={chosen.pet.id.toString()}
              client={client}
              pet={chosen.pet}
              changes={changes}
              isEditing={choice?.isEditing ?? false}
              isModal={!isWide}
              onClose={closeDetails}
            >
              {page.children}
            </PetDetails>
          )}
          {changes && (
            <aside
              id="add-pet"
              class={isFormOpen ? 'add-pet is-open' : 'add-pet'}
              aria-labelledby="add-pet-title"
            >
              <AddPet
                additions={changes.additions}
                categories={changes.categories}
                onShow={(id) => changeQuery({ ...defaultQuery, text: `#${id}` })}
              />
            </aside>
          )}
          <KeyNotice apiKey={page.apiKey} />
        </div>
        {!(areDetailsOpen && !isWide) && page.children}
      </div>
    </>
  );
}

/** True if the details have room beside the list. */
function useIsWide(): boolean {
  const [media] = useState(() => matchMedia('(min-width: 60rem)'));
  const [isWide, setIsWide] = useState(media.matches);
  useEffect(() => {
    const onChange = () => setIsWide(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return isWide;
}

const weekMs = 7 * 24 * 3600_000;

/** Says in one line what a person should know about the key. */
function KeyNotice({ apiKey }: { apiKey: Key | undefined }) {
  const { readOnly = false, expiresAt } = apiKey ?? {};
  const isExpiring = expiresAt !== undefined && expiresAt.getTime() - Date.now() < weekMs;
  if (!readOnly && !isExpiring) return null;
  const time = expiresAt?.toLocaleString(language, { dateStyle: 'full', timeStyle: 'short' });
  return (
    <p class="help key-notice">
      {readOnly && 'This key can only read. '}
      {isExpiring && `Your key expires on ${time}. Ask the person who runs the service for a new one.`}
    </p>
  );
}
