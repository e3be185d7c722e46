import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Pet } from '../../../../client/src/index.ts';
import { indexOfPet } from '../find/find-pets.ts';

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
  rows: RefObject<HTMLElement | null>,
  pets: readonly Pet[],
  onRowKey: (event: KeyboardEvent, pet: Pet) => void,
): ActiveRow {
  const [activeId, setActiveId] = useState<bigint>();
  const wanted = useRef<bigint>(undefined);
  const lastIndex = useRef(-1);
  const index = activeId === undefined ? -1 : indexOfPet(pets, activeId);
  // Known only before this drawing: a removed row has lost the focus afterwards.
  const hadFocus = rows.current?.contains(document.activeElement) ?? false;

  const goTo = (to: number) => {
    const pet = pets[Math.max(0, Math.min(to, pets.length - 1))];
    if (!pet) return;
    wanted.current = pet.id;
    setActiveId(pet.id);
    focusWanted();
  };

  const focusWanted = () => {
    const row = wanted.current === undefined ? null : rowOf(rows.current, wanted.current);
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
      const from = pets[index];
      if (!from || event.defaultPrevented || isTextField(event.target)) return;
      const to = destination(event.key, index, pets.length, () => rowsPerScreen(rows.current, pets.length));
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

function rowsPerScreen(rows: HTMLElement | null, count: number): number {
  const rowHeight = (rows?.clientHeight ?? 0) / count || 1;
  return Math.max(1, Math.floor(innerHeight / rowHeight) - 4);
}

function rowOf(rows: HTMLElement | null, id: bigint): HTMLElement | null {
  return rows?.querySelector<HTMLElement>(`[data-id="${id}"]`) ?? null;
}

function idOf(target: EventTarget | null): bigint | undefined {
  const id = target instanceof Element ? target.closest<HTMLElement>('[data-id]')?.dataset['id'] : undefined;
  return id === undefined ? undefined : BigInt(id);
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea');
}
