import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { Key, PetstoreClient } from '../../../client/src/index.ts';
import { CategoryList } from './categories/category-list.tsx';
import { CategoryNamesContext } from './categories/use-category-names.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { Notes } from './changes/notes.ts';
import { PetAdditions } from './changes/pet-additions.ts';
import { PetActions, type Changes } from './changes/pet-actions.ts';
import { usePets, useQuery, type PetsView } from './pets/data/use-pets.ts';
import { defaultQuery } from './pets/find/query.ts';
import { focusSearch } from './pets/find/search.tsx';
import { focusRow } from './pets/list/use-active-row.ts';
import { Pets } from './pets/pets.tsx';
import { dayOf } from './day.ts';
import { focusSale, Sales } from './sales/sales.tsx';
import { digits, useShortcuts } from './shortcuts.ts';

export interface SignedInProps {
  client: PetstoreClient;
  /** The part of the address that chooses the pets, the sales or the categories. */
  hash: string;
  /** Unknown until the service has responded. */
  apiKey: Key | undefined;
  onDescribed: (key: Key) => void;
  /** Called when the key is no longer accepted, with what became of a change that was under way. */
  onRefused: (outcome?: string) => void;
}

/** The screen of a person who has signed in: the pets, the sales or the categories. */
export function SignedIn({ client, hash, apiKey, onDescribed, onRefused }: SignedInProps) {
  const [query, changeQuery] = useQuery();
  const view = usePets(client, query, onRefused);
  const changes = useChanges(client, view, apiKey?.mayDelete ?? false, onRefused);
  const { notes } = changes;
  const onClick = useMemo(
    () => createCalmClicks(() => notes.say('That was too fast. Nothing was done; click again.')),
    [notes],
  );
  const { heardAtMs } = view.sync;
  // Checked again after each response of the service, until it is known.
  useEffect(() => {
    if (heardAtMs === undefined || apiKey) return undefined;
    const stop = new AbortController();
    client.getKey({ signal: stop.signal }).then(onDescribed, () => {});
    return () => stop.abort();
  }, [heardAtMs]);

  const isAway = view.problem !== undefined;
  useEffect(() => {
    const end = () => notes.endOutage();
    if (!isAway) end();
    // The list may not have noticed a short outage.
    addEventListener('online', end);
    return () => removeEventListener('online', end);
  }, [isAway, notes]);

  // A key that may only read gets no way to change anything.
  const whyNot = !apiKey
    ? 'Still signing in. Nothing was done; try again.'
    : apiKey.readOnly
      ? 'This key can only read. Nothing was done.'
      : undefined;
  useShortcuts({
    ...Object.fromEntries(['/', ...digits].map((key) => [key, focusSearch])),
    u: () => (whyNot === undefined ? changes.actions.undo() : notes.say(whyNot)),
  });

  const [, sales, day] = /^#\/(sales)(?:\?day=(\d{4}-\d\d-\d\d))?$/.exec(hash) ?? [];
  const isCategories = hash === '#/categories';
  const showCategory = (category: bigint) => {
    changeQuery({ ...defaultQuery, category });
    location.hash = '#/';
  };
  // The form is beside the pets.
  useEffect(() => {
    if ((sales || isCategories) && changes.additions.isFormWanted) location.hash = '#/';
  });
  // After the list has been drawn with the latest change.
  const onChosen = (id?: bigint) => {
    const focus = () => {
      const modal = document.querySelector('dialog[open]');
      if (modal) modal.querySelector<HTMLElement>('.close')?.focus();
      // The choice itself may have moved it.
      else if (document.activeElement !== document.body) return;
      else if (sales) focusSale(id);
      else focusRow(id);
    };
    setTimeout(() => requestAnimationFrame(focus));
  };
  const shared = {
    client,
    notes,
    changes: whyNot === undefined ? changes : undefined,
    onRefused,
    children: <NotesBar notes={notes} onChosen={onChosen} />,
  };
  return (
    <CategoryNamesContext.Provider value={view.categories.names}>
      <main class={sales || isCategories ? 'store is-wide' : 'store'} onClickCapture={onClick}>
        {sales ? (
          <Sales day={day ?? dayOf(new Date())} {...shared} />
        ) : isCategories ? (
          <CategoryList onShow={showCategory} {...shared} />
        ) : (
          <Pets
            view={view}
            query={query}
            changeQuery={changeQuery}
            apiKey={apiKey}
            whyNot={whyNot}
            {...shared}
          />
        )}
      </main>
    </CategoryNamesContext.Provider>
  );
}

/** Lets a person sell, correct and remove pets. */
function useChanges(
  client: PetstoreClient,
  { rows, sync, categories }: PetsView,
  mayDelete: boolean,
  onRefused: (outcome?: string) => void,
): Changes {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const { notes, actions, additions } = useMemo(() => {
    const onChange = () => redraw();
    const created = new Notes(onChange);
    const shared = { client, notes: created, onChange, onRefused };
    return {
      notes: created,
      actions: new PetActions({ ...shared, rows, categories }),
      additions: new PetAdditions({ ...shared, onAdded: (pet) => sync.add(pet) }),
    };
  }, [client, rows, sync, categories, onRefused]);

  useEffect(() => {
    additions.start();
    return () => additions.stop();
  }, [additions]);
  return { notes, actions, additions, categories, mayDelete };
}
