import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../data/pet-rows.ts';
import type { PetsView } from '../data/use-pets.ts';
import { PetRow, type PetRowProps } from './pet-row.tsx';
import { useActiveRow } from './use-active-row.ts';

export interface PetGridProps extends Pick<PetRowProps, 'changes' | 'onOpen' | 'onSell'> {
  view: PetsView;
  chosenId: bigint | undefined;
  /** Called for each key pressed in a row, except those that move between rows. */
  onRowKey: (event: KeyboardEvent, row: Row) => void;
}

export function PetGrid({ view, chosenId, onRowKey, ...parts }: PetGridProps) {
  const { list: rows } = view.rows;
  const { loads } = view.sync;
  const box = useRef<HTMLDivElement>(null);
  const active = useActiveRow(box, rows, onRowKey);
  useLayoutEffect(() => {
    if (loads > 1 && (box.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo(0, 0);
  }, [loads]);

  return (
    <div
      class="grid card"
      role="grid"
      aria-label="Pets"
      aria-rowcount={rows.length + 1}
      aria-busy={view.isSearching}
      inert={view.isSearching}
    >
      <div class="columns" role="row" aria-rowindex={1}>
        {['Name', 'Status', 'Category', 'Id'].map((name) => (
          <span role="columnheader">{name}</span>
        ))}
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
