import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Pet } from '../../../../client/src/index.ts';
import { indexOfPet } from '../find/find-pets.ts';

interface Anchor {
  id: bigint;
  index: number;
  listKey: string;
  isLoading: boolean;
}

export interface SteadyScrollOptions {
  rows: RefObject<HTMLElement | null>;
  pets: readonly Pet[];
  /** Names the list: another list begins at its top, the same one stays where it is. */
  listKey: string;
  isLoading: boolean;
}

/** How long after the last move somebody may still be about to press something. */
const attentionMs = 4000;

/**
 * Keeps rows in place when pets appear or vanish above them, while somebody reads further down or is at work in the list.
 * Otherwise the top of the list shows what is new.
 */
export function useSteadyScroll({ rows, pets, listKey, isLoading }: SteadyScrollOptions): void {
  const anchor = useRef<Anchor>(undefined);
  const attendedAt = useRef(-Infinity);

  useEffect(() => {
    const attend = () => (attendedAt.current = performance.now());
    const box = rows.current;
    const events = ['pointermove', 'pointerdown', 'keydown'];
    for (const event of events) box?.addEventListener(event, attend, { passive: true });
    return () => {
      for (const event of events) box?.removeEventListener(event, attend);
    };
  }, [rows]);

  useLayoutEffect(() => {
    const box = rows.current;
    if (!box || pets.length === 0) return;
    const { top } = box.getBoundingClientRect();
    const rowHeight = box.clientHeight / pets.length;
    const before = anchor.current;
    const isAttended = performance.now() - attendedAt.current < attentionMs;
    if (before && before.listKey !== listKey) {
      if (top < 0) scrollTo(0, 0);
    } else if (before && (top < 0 || (isAttended && !before.isLoading))) {
      const index = indexOfPet(pets, before.id);
      if (index !== -1 && index !== before.index) scrollBy(0, (index - before.index) * rowHeight);
    }
    const firstIndex = Math.max(0, Math.floor(-box.getBoundingClientRect().top / rowHeight));
    const index = Math.min(firstIndex, pets.length - 1);
    const first = pets[index];
    anchor.current = first && { id: first.id, index, listKey, isLoading };
  });
}
