import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Key, Pet, PetStatus } from '../../../../client/src/index.ts';
import { language } from '../day.ts';
import { useShortcuts } from '../shortcuts.ts';
import { AddPet } from './add-pet.tsx';
import type { PetsView } from './data/use-pets.ts';
import { defaultQuery, type PetQuery } from './find/query.ts';
import { CategoryFilter, Filter, FoundCategories, Search } from './find/search.tsx';
import { News, PetList } from './list/pet-list.tsx';
import { focusRow } from './list/use-active-row.ts';
import { useArrival } from './list/use-arrival.ts';

export interface PetsProps {
  view: PetsView;
  query: PetQuery;
  changeQuery: (changes: Partial<PetQuery>) => void;
  isFormWanted: RefObject<boolean>;
  /** The details of the pet in hand, if they are open. */
  details: VNode | undefined;
  /** Told beside the list. */
  children: ComponentChildren;
}

const noPet = 'Take a pet first: scan its label, or go to it with the arrow keys.';

/** The list of pets, the details of one, and the form that adds one. */
export function Pets({ view, query, changeQuery, isFormWanted, ...page }: PetsProps) {
  const { till } = view;
  const { notes, outbox, hand, canChange } = till;
  const [isFormOpen, setIsFormOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const { enter, whyNot, ...guard } = useArrival(list, view);
  /** From the search: the arrow key reaches the categories that it finds, and Enter goes on to the pets if there are any. */
  const goDown = (isEnter: boolean) => {
    const found = list.current?.querySelector<HTMLElement>('.found button');
    if (found && !view.isSearching && (!isEnter || till.rows.list.length === 0)) found.focus();
    else enter();
  };
  const openForm = () => {
    setIsFormOpen(true);
    hand.open('closed');
    hand.wantsFocus = false;
    requestAnimationFrame(() => document.getElementById('pet-name')?.focus());
  };
  useEffect(() => {
    if (!isFormWanted.current) return;
    isFormWanted.current = false;
    openForm();
  });

  /** Does something with the pet in hand, or says why not. */
  const onHand = (work: (pet: Pet) => void) => () => {
    const why = whyNot();
    if (till.whyNot !== undefined) notes.say(till.whyNot);
    else if (why !== false) notes.say(`${why} Nothing was done; try again.`);
    else if (hand.id === undefined) notes.say(noPet);
    else void hand.use(({ pet }) => work(pet));
  };
  const set = (status: PetStatus) => onHand((pet) => outbox.setStatus(pet, status));
  const remove = onHand((pet) => {
    if (till.mayDelete) outbox.remove(pet);
    else notes.tell('This key may not delete. Nothing was done.');
  });
  useShortcuts({
    ...{ s: set('sold'), p: set('pending'), a: set('available'), Delete: remove, Backspace: remove },
    e: () => (hand.id === undefined ? notes.say(noPet) : void hand.use(() => hand.open('editing'))),
    Escape: () => {
      if (notes.confirm()) return;
      if (hand.details === 'closed') changeQuery({ text: '' });
      else hand.open('closed');
    },
    ArrowDown: () => focusRow(),
    ArrowUp: () => focusRow(),
    n: () => (till.whyNot === undefined ? openForm() : notes.say(till.whyNot)),
  });

  return (
    <>
      <section class="pets" aria-label="Pet list">
        <h1 class="visually-hidden">Pets</h1>
        <div class="find">
          <Search text={query.text} onChange={(text) => changeQuery({ text })} onDown={goDown}>
            <News view={view} />
          </Search>
          <CategoryFilter chosen={query.category} onChoose={(category) => changeQuery({ category })} />
          <Filter chosen={query.status} onChoose={(status) => changeQuery({ status })} />
          {canChange && (
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
            query={till.sync.query}
            onDown={enter}
            onChoose={(category) => {
              list.current?.focus();
              changeQuery({ text: '', category });
            }}
          />
          <PetList view={view} onShowAll={() => changeQuery(defaultQuery)} onAdd={openForm} />
        </div>
      </section>
      <div class="beside">
        <div class="panels">
          {page.details}
          {canChange && (
            <aside
              id="add-pet"
              class={isFormOpen ? 'add-pet is-open' : 'add-pet'}
              aria-labelledby="add-pet-title"
            >
              <AddPet
                outbox={outbox}
                categories={till.categories}
                onShow={(id) => changeQuery({ ...defaultQuery, text: `#${id}` })}
              />
            </aside>
          )}
          <KeyNotice apiKey={till.key} />
        </div>
        {page.children}
      </div>
    </>
  );
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
