import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Notes } from '../../changes/notes.ts';
import { actionOfKey } from '../../shortcuts.ts';
import type { PetsView } from '../data/use-pets.ts';
import { idOf, type PetQuery } from '../find/query.ts';
import { focusRow } from './use-active-row.ts';

/** Input this soon after new rows was meant for the rows before them. */
const settlingMs = 500;

/**
 * Guards the list while other rows are on their way or have just arrived: what a person does to a row then is ignored,
 * and a note says so. The focus waits at the list and goes on to the rows that arrive. Only a pet whose label was scanned
 * can be sold before its row is here: nobody means another one.
 */
export function useArrival(
  list: RefObject<HTMLElement | null>,
  view: PetsView,
  query: PetQuery,
  notes: Notes,
  onSell: (id: bigint) => void,
) {
  const { isSearching, rows, sync } = view;
  const settling = useRef<Animation | undefined>(undefined);
  const waiting = useRef<{ id?: bigint } | undefined>(undefined);
  // Known only before this drawing: rows that nobody can use have no focus.
  const focused = list.current?.querySelector<HTMLElement>('.row:focus-within')?.dataset['id'];

  const land = (id?: bigint) => {
    const wantedId = idOf(sync.query);
    const isAnother = wantedId !== undefined && !rows.get(wantedId);
    // The first of a category is not the pet whose label was scanned.
    if (isAnother && id === undefined) list.current?.focus();
    else focusRow(id);
  };
  useLayoutEffect(() => {
    if (isSearching && focused !== undefined) {
      waiting.current = { id: BigInt(focused) };
      list.current?.focus();
    } else if (!isSearching) {
      if (waiting.current && document.activeElement === list.current) land(waiting.current.id);
      waiting.current = undefined;
    }
  }, [isSearching]);
  useLayoutEffect(() => {
    const box = rows.moves === 0 ? undefined : list.current?.querySelector('.rows');
    settling.current = box?.animate({ pointerEvents: ['none', 'none'] }, settlingMs);
  }, [rows.moves]);

  const guard = (event: Event, scannedId?: bigint) => {
    if (!isSearching && settling.current?.playState !== 'running') return;
    event.preventDefault();
    event.stopPropagation();
    if (scannedId !== undefined) return onSell(scannedId);
    const why = isSearching ? 'Still searching.' : 'The list has just changed.';
    notes.say(`${why} Nothing was done; try again.`);
  };
  return {
    /** Moves the focus to the rows of the current search, now or when they arrive. */
    enter: () => {
      view.search();
      if (!isSearching) return land();
      waiting.current = {};
      list.current?.focus();
    },
    onClickCapture: (event: MouseEvent) => {
      // Rows that nobody can use let a click through to what is behind them.
      if (event.target instanceof Element && event.target.matches('.list, .grid')) guard(event);
    },
    onKeyDownCapture: (event: KeyboardEvent) => {
      const action = actionOfKey(event);
      const id = action === 'sold' ? idOf(query) : undefined;
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.row') : null;
      if (action) guard(event, row && row.dataset['id'] !== id?.toString() ? undefined : id);
    },
  };
}
