import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PetsView } from '../data/use-pets.ts';
import { idOf } from '../find/query.ts';
import { focusRow } from './use-active-row.ts';

/** Input this soon after new rows was meant for the rows before them. */
const settlingMs = 500;

/**
 * Guards the list while other rows are on their way or have just arrived: a click is ignored then, and a note says so.
 * The focus waits at the list and goes on to the rows that arrive.
 */
export function useArrival(list: RefObject<HTMLElement | null>, view: PetsView) {
  const { isSearching, till } = view;
  const { rows, sync, hand, notes } = till;
  const settling = useRef<Animation | undefined>(undefined);

  const whyNot = () =>
    isSearching
      ? 'Still searching.'
      : settling.current?.playState === 'running' && 'The list has just changed.';
  const land = () => {
    if (hand.id === undefined) {
      const wantedId = idOf(sync.query);
      const first = wantedId === undefined ? rows.list[0] : rows.get(wantedId);
      // The first of a category is not the pet whose number was typed.
      if (!first) return list.current?.focus();
      hand.take(first.pet.id, true);
    }
    focusRow(hand.id);
  };
  useLayoutEffect(() => {
    // Rows that nobody can use lose the focus.
    if (isSearching && list.current?.querySelector('.row:focus-within')) {
      hand.wantsFocus = true;
      list.current.focus();
    }
  }, [isSearching]);
  useLayoutEffect(() => {
    if (isSearching || !hand.wantsFocus || (hand.id !== undefined && !hand.row)) return;
    hand.wantsFocus = false;
    // Unless the person has gone on.
    if ([list.current, document.body].includes(document.activeElement as HTMLElement)) land();
  });
  useLayoutEffect(() => {
    const box = rows.moves === 0 ? undefined : list.current?.querySelector('.rows');
    settling.current = box?.animate({ pointerEvents: ['none', 'none'] }, settlingMs);
  }, [rows.moves]);

  const guard = (event: Event) => {
    const why = whyNot();
    if (why === false) return;
    event.preventDefault();
    event.stopPropagation();
    notes.say(`${why} Nothing was done; try again.`);
  };
  return {
    /** Moves the focus to the rows of the current search, now or when they arrive. */
    enter: () => {
      view.search();
      hand.end();
      hand.wantsFocus = true;
      list.current?.focus();
    },
    /** Why a key would act on a pet that the person may not have seen; false if it would not. */
    whyNot: () => (hand.id !== undefined && hand.isSure && !hand.isFirst ? false : whyNot()),
    onClickCapture: (event: MouseEvent) => {
      // Rows that nobody can use let a click through to what is behind them.
      if (event.target instanceof Element && event.target.matches('.list, .grid')) guard(event);
    },
  };
}
