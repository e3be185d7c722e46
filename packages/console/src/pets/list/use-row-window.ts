import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';

export interface RowWindow {
  /** The first row to draw. */
  start: number;
  /** The first row behind those to draw. */
  end: number;
}

/** Rows beyond the screen's edges, so that fast scrolling shows no gap. */
const marginRows = 8;

/** The rows that are on the screen, or nearly. All rows have one height, so their box tells which. */
export function useRowWindow(rows: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [drawn, setDrawn] = useState<RowWindow>({ start: 0, end: 0 });
  const update = useCallback(() => {
    if (!rows.current || count === 0) return;
    const { top } = rows.current.getBoundingClientRect();
    const rowHeight = rows.current.clientHeight / count;
    const start = clamp(Math.floor(-top / rowHeight) - marginRows, count);
    const end = clamp(Math.ceil((innerHeight - top) / rowHeight) + marginRows, count);
    setDrawn((before) => (before.start === start && before.end === end ? before : { start, end }));
  }, [rows, count]);

  // After every drawing, because what stands above the rows may have changed its height.
  useLayoutEffect(update);
  useEffect(() => {
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    return () => {
      removeEventListener('scroll', update);
      removeEventListener('resize', update);
    };
  }, [update]);
  return drawn;
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(index, count));
}
