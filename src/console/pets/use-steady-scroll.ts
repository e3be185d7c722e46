import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Pet } from '../../client/index.ts';
import { indexOfPet } from './find-pets.ts';

interface Anchor {
  id: bigint;
  index: number;
  listKey: string;
}

export interface SteadyScrollOptions {
  rows: RefObject<HTMLElement | null>;
  pets: readonly Pet[];
  /** Names the list: another list begins at its top, the same one stays where it is. */
  listKey: string;
  isLoading: boolean;
}

/** Keeps rows under the eye and the pointer in place when pets appear or vanish above them. */
export function useSteadyScroll({ rows, pets, listKey, isLoading }: SteadyScrollOptions): void {
  const anchor = useRef<Anchor>(undefined);
  useLayoutEffect(() => {
    const box = rows.current;
    if (!box || pets.length === 0) return;
    const { top } = box.getBoundingClientRect();
    const rowHeight = box.clientHeight / pets.length;
    const before = anchor.current;
    if (before && before.listKey !== listKey) {
      if (top < 0) scrollTo(0, 0);
    } else if (before && mustHold(box, top, isLoading)) {
      const index = indexOfPet(pets, before.id);
      if (index !== -1 && index !== before.index) scrollBy(0, (index - before.index) * rowHeight);
    }
    const firstIndex = Math.max(0, Math.floor(-box.getBoundingClientRect().top / rowHeight));
    const first = pets[Math.min(firstIndex, pets.length - 1)];
    anchor.current = first && { id: first.id, index: indexOfPet(pets, first.id), listKey };
  });
}

/** At the top, unattended, a list shows what is new. */
function mustHold(box: HTMLElement, top: number, isLoading: boolean): boolean {
  return top < 0 || box.matches(':focus-within') || (!isLoading && box.matches(':hover'));
}
