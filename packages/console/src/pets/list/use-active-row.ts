import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../data/pet-rows.ts';

/** One row of the list is active: Tab reaches it, and the arrow keys move to another. */
export function useActiveRow(
  box: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  onRowKey: (event: KeyboardEvent, row: Row) => void,
) {
  const [activeId, setActiveId] = useState<string>();
  const index = rows.findIndex(({ pet }) => pet.id.toString() === activeId);
  const lastIndex = useRef(-1);
  // Known only before this drawing: a row that goes away has lost the focus afterwards.
  const hadFocus = box.current?.contains(document.activeElement) ?? false;

  const goTo = (to: number) => {
    const row = box.current?.children[Math.max(0, Math.min(to, rows.length - 1))];
    if (!(row instanceof HTMLElement)) return;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  };
  useLayoutEffect(() => {
    if (index === -1 && lastIndex.current !== -1 && hadFocus) goTo(lastIndex.current);
    lastIndex.current = index;
  });

  return {
    tabIndex: Math.max(index, 0),
    /** Moves the focus to the active row, or to the first one. */
    enter: () => goTo(index),
    onFocusIn: ({ target }: FocusEvent) => {
      if (target instanceof Element) setActiveId(target.closest<HTMLElement>('.row')?.dataset['id']);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const from = rows[index];
      if (!from || event.defaultPrevented) return;
      const to = destination(event.key, index, rows.length, box.current);
      if (to === undefined) return onRowKey(event, from);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      goTo(to);
    },
  };
}

function destination(key: string, index: number, count: number, box: HTMLElement | null): number | undefined {
  const rowHeight = (box?.clientHeight ?? 0) / count || 1;
  const screen = Math.max(1, Math.floor(innerHeight / rowHeight) - 4);
  if (key === 'ArrowDown') return index + 1;
  if (key === 'ArrowUp') return index - 1;
  if (key === 'PageDown') return index + screen;
  if (key === 'PageUp') return index - screen;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
