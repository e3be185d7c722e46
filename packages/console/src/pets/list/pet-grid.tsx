import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../data/pet-rows.ts';
import { PetRow, type PetRowProps } from './pet-row.tsx';
import { useActiveRow } from './use-active-row.ts';

export interface PetGridProps extends Pick<PetRowProps, 'changes' | 'onOpen'> {
  rows: readonly Row[];
  /** Grows whenever other rows take the place of these. */
  loads: number;
  isLoading: boolean;
  chosenId: bigint | undefined;
  /** Set to a function that moves the focus to the active row. */
  enter: RefObject<(() => void) | null>;
  /** A key that was pressed in a row and does not move between rows. */
  onRowKey: (event: KeyboardEvent, row: Row) => void;
}

/** A click that comes so soon after the rows was meant for what stood there before. */
const settlingMs = 500;

export function PetGrid({ rows, loads, isLoading, chosenId, enter, onRowKey, ...parts }: PetGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const active = useActiveRow(box, rows, onRowKey);
  enter.current = active.enter;
  useLayoutEffect(() => {
    if (loads > 1 && (box.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo(0, 0);
    box.current?.animate({ pointerEvents: ['none', 'none'] }, settlingMs);
  }, [loads]);

  return (
    <div class="grid" role="grid" aria-label="Pets" aria-rowcount={rows.length + 1} aria-busy={isLoading}>
      <div class="columns" role="row" aria-rowindex={1}>
        <span role="columnheader">Name</span>
        <span role="columnheader">Status</span>
        <span role="columnheader">Category</span>
        <span role="columnheader">Id</span>
        <span role="columnheader">
          <span class="visually-hidden">Actions</span>
        </span>
      </div>
      <div ref={box} class="rows" role="rowgroup" onFocusIn={active.onFocusIn} onKeyDown={active.onKeyDown}>
        {rows.map((row, index) => (
          <PetRow
            key={row.pet.id.toString()}
            row={row}
            index={index}
            isActive={index === active.tabIndex}
            isChosen={row.pet.id === chosenId}
            {...parts}
          />
        ))}
      </div>
    </div>
  );
}
