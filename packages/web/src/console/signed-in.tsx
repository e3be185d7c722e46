import type { RefObject } from 'preact';
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Key, PetstoreClient } from '../../../client/src/index.ts';
import { CategoryList } from './categories/category-list.tsx';
import { CategoryNamesContext } from './categories/use-category-names.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { usePets, useQuery } from './pets/data/use-pets.ts';
import { defaultQuery, renderQuery, type PetQuery } from './pets/find/query.ts';
import { focusSearch } from './pets/find/search.tsx';
import { focusRow } from './pets/list/use-active-row.ts';
import { PetDetails } from './pets/pet-details.tsx';
import { Pets } from './pets/pets.tsx';
import { dayOf } from './day.ts';
import { focusSale, Sales } from './sales/sales.tsx';
import { ask } from './question.tsx';
import { Till } from './till.ts';
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
  const [, sales, day] = /^#\/(sales)(?:\?day=(\d{4}-\d\d-\d\d))?$/.exec(hash) ?? [];
  const isCategories = hash === '#/categories';
  const [query, setQuery] = useQuery();
  const till = useMemo(() => new Till(client, query, onRefused, () => redraw()), [client, onRefused]);
  const { notes, hand, outbox, whyNot } = Object.assign(till, { key: apiKey });
  const view = usePets(till, query);
  const isFormWanted = useRef(false);
  till.showForm = (id) => {
    const open = () => {
      isFormWanted.current = id === undefined;
      if (id !== undefined) hand.reach(id, 'editing');
      redraw();
      requestAnimationFrame(() => document.getElementById('edit-name')?.focus());
    };
    // The form is beside the pets.
    if (!sales && !isCategories) return open();
    addEventListener('hashchange', open, { once: true });
    location.hash = '#/';
  };
  useEffect(() => {
    if (!apiKey) return undefined;
    outbox.start();
    const leave = () => outbox.sendHeld();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      outbox.stop();
    };
  }, [outbox, apiKey]);
  const changeQuery = (changed: Partial<PetQuery>) => {
    // What it finds may be without the pet in hand.
    if (renderQuery({ ...query, ...changed }) !== renderQuery(query)) hand.isSure = false;
    setQuery(changed);
  };
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
    const count = outbox.list.filter(({ state }) => state !== 'held').length;
    const title = `${count === 1 ? 'One change is' : `${count} changes are`} not saved yet.`;
    const question = { title, text: 'Signing out drops what is not saved.', action: 'Sign out' };
    if (count > 0 && (await ask(question)) === undefined) return false;
    outbox.sendHeld();
    return true;
  };
  const { heardAtMs } = till.sync;
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
    if (!isAway && heardAtMs !== undefined) outbox.resend();
  }, [isAway, heardAtMs]);

  useShortcuts({
    ...Object.fromEntries(['/', ...digits].map((key) => [key, focusSearch])),
    u: () => (whyNot === undefined ? till.undo.latest() : notes.say(whyNot)),
    // The pets have more to close.
    ...((sales || isCategories) && { Escape: () => void notes.confirm() }),
  });

  const showCategory = (category: bigint) => {
    changeQuery({ ...defaultQuery, category });
    location.hash = '#/';
  };
  // Details belong to the page on which they were opened: they close before the next one is drawn.
  useEffect(() => {
    const close = () => hand.open('closed');
    addEventListener('hashchange', close, { capture: true });
    return () => removeEventListener('hashchange', close, { capture: true });
  }, [hand]);
  const { row } = hand;
  useEffect(() => {
    if (!row?.isRemoved) return;
    // Since it was drawn, the response to this till's own removal may have come.
    const { pet, removedBy } = till.rows.get(row.pet.id) ?? row;
    const count = notes.list.length;
    hand.end();
    // A text that was left has a note of its own.
    const isTold = notes.list.length > count || outbox.changeOf(pet.id) !== undefined;
    if (removedBy !== undefined && !isTold) notes.tell(pet, ` was removed by ${removedBy}.`);
  }, [row?.isRemoved]);
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
  const isWide = useIsWide() && !sales;
  const areDetailsOpen = row && !row.isRemoved && hand.details !== 'closed';
  const bar = <NotesBar notes={notes} onChosen={onChosen} />;
  const shared = {
    // Nobody reaches from a modal what is told elsewhere.
    children: areDetailsOpen && !isWide ? undefined : bar,
    details: areDetailsOpen ? (
      <PetDetails
        key={row.pet.id.toString()}
        pet={row.pet}
        till={till}
        isEditing={hand.details === 'editing'}
        isModal={!isWide}
        onClose={() => hand.open('closed')}
      >
        {bar}
      </PetDetails>
    ) : undefined,
  };
  return (
    <CategoryNamesContext.Provider value={till.categories.names}>
      <main class={sales || isCategories ? 'store is-wide' : 'store'} onClickCapture={onClick}>
        {sales ? (
          <Sales
            day={day ?? dayOf(new Date())}
            onOpen={(id) => hand.reach(id, 'open')}
            till={till}
            {...shared}
          />
        ) : isCategories ? (
          <CategoryList till={till} onShow={showCategory}>
            {bar}
          </CategoryList>
        ) : (
          <Pets {...{ view, query, changeQuery, isFormWanted }} {...shared} />
        )}
      </main>
    </CategoryNamesContext.Provider>
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
