import type { RefObject } from 'preact';
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Key, Pet, PetstoreClient } from '../../../client/src/index.ts';
import { CategoryList } from './categories/category-list.tsx';
import { CategoryNamesContext } from './categories/use-category-names.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { Notes } from './changes/notes.ts';
import { PetAdditions } from './changes/pet-additions.ts';
import { PetActions, type Changes } from './changes/pet-actions.ts';
import { Undo } from './changes/undo.ts';
import { usePets, useQuery, type PetsView } from './pets/data/use-pets.ts';
import { defaultQuery, renderQuery, type PetQuery } from './pets/find/query.ts';
import { focusSearch } from './pets/find/search.tsx';
import { focusRow } from './pets/list/use-active-row.ts';
import { Pets } from './pets/pets.tsx';
import { dayOf } from './day.ts';
import { focusSale, Sales } from './sales/sales.tsx';
import { ask } from './question.tsx';
import { useScans } from './use-scans.ts';
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
  /** Called before the person signs out; resolves with false to stay. */
  leaving: RefObject<() => Promise<boolean>>;
}

/** The screen of a person who has signed in: the pets, the sales or the categories. */
export function SignedIn({ client, hash, apiKey, onDescribed, onRefused, leaving }: SignedInProps) {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const notes = useMemo(() => new Notes(redraw), [client]);
  const [query, setQuery] = useQuery();
  const view = usePets(client, query, (text) => notes.tell(text), onRefused);
  const changes = useChanges(client, view, notes, apiKey, onRefused);
  const { hand } = view;
  const changeQuery = (changed: Partial<PetQuery>) => {
    // What it finds may be without the pet in hand.
    if (renderQuery({ ...query, ...changed }) !== renderQuery(query)) hand.isSure = false;
    setQuery(changed);
  };
  const [, sales, day] = /^#\/(sales)(?:\?day=(\d{4}-\d\d-\d\d))?$/.exec(hash) ?? [];
  const isCategories = hash === '#/categories';
  useScans((scanned) => {
    for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) dialog.close();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    hand.scan(scanned);
    if (sales || isCategories) location.hash = '#/';
  });
  const onClick = useMemo(
    () => createCalmClicks(() => notes.say('That was too fast. Nothing was done; click again.')),
    [notes],
  );
  leaving.current = async () => {
    const { actions, additions } = changes;
    const count = actions.sender.unsentCount + additions.unsentCount;
    const title = `${count === 1 ? 'One change is' : `${count} changes are`} not saved yet.`;
    const question = { title, text: 'Signing out drops what is not saved.', action: 'Sign out' };
    if (count > 0 && (await ask(question)) === undefined) return false;
    actions.sendHeld();
    return true;
  };
  const { heardAtMs } = view.sync;
  // Checked again after each response of the service, until it is known.
  useEffect(() => {
    if (heardAtMs === undefined || apiKey) return undefined;
    const stop = new AbortController();
    client.getKey({ signal: stop.signal }).then(onDescribed, () => {});
    return () => stop.abort();
  }, [heardAtMs]);

  const isAway = view.problem !== undefined;
  // The service responds, again or still: the list may not have noticed a short outage.
  useEffect(() => {
    if (isAway || heardAtMs === undefined) return;
    notes.endOutage();
    changes.actions.sender.resend();
    changes.additions.resend();
  }, [isAway, heardAtMs]);

  // A key that may only read gets no way to change anything.
  const whyNot = !apiKey
    ? 'Still signing in. Nothing was done; try again.'
    : apiKey.readOnly
      ? 'This key can only read. Nothing was done.'
      : undefined;
  useShortcuts({
    ...Object.fromEntries(['/', ...digits].map((key) => [key, focusSearch])),
    u: () => (whyNot === undefined ? changes.undo.latest() : notes.say(whyNot)),
    // The pets have more to close.
    ...((sales || isCategories) && { Escape: () => void notes.confirm() }),
  });

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
  const did = (text: string, takeBack: () => Promise<string>) => {
    const deed = changes.undo.add(async () => notes.tell(await takeBack()));
    notes.add({ words: [text], undo: () => void changes.undo.take(deed) });
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
          <CategoryList onShow={showCategory} {...shared} changes={shared.changes && { ...changes, did }} />
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
  notes: Notes,
  apiKey: Key | undefined,
  onRefused: (outcome?: string) => void,
): Changes {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const key = useRef(apiKey);
  key.current = apiKey;
  const { undo, actions, additions } = useMemo(() => {
    const shared = { client, notes, undo: new Undo(notes), onChange: () => redraw(), onRefused };
    const findOther = (id: bigint) => sync.findOther(id, key.current?.name);
    const petActions = new PetActions({ ...shared, rows, categories, findOther });
    const takeBack = (pet: Pet) =>
      key.current?.mayDelete
        ? () => {
            petAdditions.added = undefined;
            return petActions.sender.sendAndTell({ seen: pet, wish: 'remove', isUndo: true });
          }
        : undefined;
    const onAdded = (pet: Pet) => sync.add(pet);
    const petAdditions = new PetAdditions({ ...shared, onAdded, takeBack });
    return { undo: shared.undo, actions: petActions, additions: petAdditions };
  }, [client, rows, sync, categories, notes, onRefused]);

  useEffect(() => {
    additions.start();
    actions.start();
    const leave = () => actions.sendHeld();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      additions.stop();
      actions.stop();
    };
  }, [additions, actions]);
  return { notes, undo, actions, additions, categories, mayDelete: apiKey?.mayDelete ?? false };
}
