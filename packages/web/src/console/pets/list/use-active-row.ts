import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PetInHand } from '../data/pet-in-hand.ts';
import type { Row } from '../data/pet-rows.ts';

/** The row of the pet in hand, or else the first one, is active: Tab reaches it, and the arrow keys move to another. */
export function useActiveRow(box: RefObject<HTMLElement | null>, rows: readonly Row[], hand: PetInHand) {
  const index = rows.findIndex(({ pet }) => pet.id === hand.id);
  const lastIndex = useRef(-1);
  // Known only before this drawing: afterwards, a removed row has lost the focus.
  const hadFocus = box.current?.contains(document.activeElement) ?? false;

  const goTo = (to: number) => {
    const { pet } = rows[Math.max(0, Math.min(to, rows.length - 1))] ?? {};
    if (pet) focusRow(pet.id);
  };
  useLayoutEffect(() => {
    // Its row, or the button in it that had the focus, is gone.
    if (hadFocus && document.activeElement === document.body) goTo(index === -1 ? lastIndex.current : index);
    lastIndex.current = index;
  });

  return {
    tabIndex: Math.max(index, 0),
    onFocusIn: ({ target }: FocusEvent) => {
      const id = target instanceof Element && target.closest<HTMLElement>('.row')?.dataset['id'];
      if (id) hand.take(BigInt(id));
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (index === -1 || event.ctrlKey || event.metaKey || event.altKey) return;
      // Enter presses a button that has the focus.
      if (event.key === 'Enter' && !event.repeat && (event.target as Element).matches('.row')) {
        event.preventDefault();
        return hand.open('editing');
      }
      const rowHeight = (box.current?.clientHeight ?? 0) / rows.length || 1;
      const screen = Math.max(1, Math.floor(innerHeight / rowHeight) - 4);
      const steps: Record<string, number> = {
        ...{ ArrowDown: index + 1, ArrowUp: index - 1, Home: 0 },
        ...{ PageDown: index + screen, PageUp: index - screen },
      };
      const to = steps[event.key];
      if (to === undefined) return;
      event.preventDefault();
      goTo(to);
    },
  };
}

/** Moves the focus to the row of this pet, or else to the one that Tab reaches. */
export function focusRow(id?: bigint): void {
  const find = (part: string) => document.querySelector<HTMLElement>(`.row${part}`);
  const row = find(`[data-id="${id}"]`) ?? find('[tabindex="0"]');
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}
