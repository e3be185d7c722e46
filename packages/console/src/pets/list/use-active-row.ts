import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../data/pet-rows.ts';

export interface ActiveRow {
  /** The index of the row that has or had the focus; -1 for none. */
  index: number;
  /** The index of the row that the Tab key reaches. */
  tabIndex: number;
  /** Moves the focus to the active row, or to the first one. */
  enter: () => void;
  onFocusIn: (event: FocusEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** One row of the list is active: Tab reaches it, and the arrow keys move to another. */
export function useActiveRow(
  box: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  onRowKey: (event: KeyboardEvent, row: Row) => void,
): ActiveRow {
  const [activeId, setActiveId] = useState<bigint>();
  const wanted = useRef<bigint>(undefined);
  const lastIndex = useRef(-1);
  const index = activeId === undefined ? -1 : rows.findIndex(({ pet }) => pet.id === activeId);
  // Known only before this drawing: a removed row has lost the focus afterwards.
  const hadFocus = box.current?.contains(document.activeElement) ?? false;

  const goTo = (to: number) => {
    const id = rows[Math.max(0, Math.min(to, rows.length - 1))]?.pet.id;
    if (id === undefined) return;
    wanted.current = id;
    setActiveId(id);
    focusWanted();
  };

  const focusWanted = () => {
    const row = wanted.current === undefined ? null : rowOf(box.current, wanted.current);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  };

  useLayoutEffect(() => {
    focusWanted();
    // The active pet is gone: its neighbour takes the focus, which would otherwise be lost.
    if (activeId !== undefined && index === -1) {
      setActiveId(undefined);
      if (hadFocus) goTo(lastIndex.current);
    } else lastIndex.current = index;
  });

  return {
    index,
    tabIndex: Math.max(index, 0),
    enter: () => goTo(index),
    onFocusIn(event) {
      const id = idOf(event.target);
      if (id !== undefined) setActiveId(id);
    },
    onKeyDown(event) {
      const from = rows[index];
      if (!from || event.defaultPrevented || isTextField(event.target)) return;
      const to = destination(event.key, index, rows.length, () => rowsPerScreen(box.current, rows.length));
      if (to === undefined) return onRowKey(event, from);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      goTo(to);
    },
  };
}

function destination(key: string, index: number, count: number, screen: () => number): number | undefined {
  if (key === 'ArrowDown') return index + 1;
  if (key === 'ArrowUp') return index - 1;
  if (key === 'PageDown') return index + screen();
  if (key === 'PageUp') return index - screen();
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

function rowsPerScreen(box: HTMLElement | null, count: number): number {
  const rowHeight = (box?.clientHeight ?? 0) / count || 1;
  return Math.max(1, Math.floor(innerHeight / rowHeight) - 4);
}

function rowOf(box: HTMLElement | null, id: bigint): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-id="${id}"]`) ?? null;
}

function idOf(target: EventTarget | null): bigint | undefined {
  const id = target instanceof Element ? target.closest<HTMLElement>('[data-id]')?.dataset['id'] : undefined;
  return id === undefined ? undefined : BigInt(id);
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea');
}
