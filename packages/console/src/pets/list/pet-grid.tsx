import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Pet } from '../../../../client/src/index.ts';
import { PetRow } from './pet-row.tsx';
import { useActiveRow } from './use-active-row.ts';
import { useRowWindow } from './use-row-window.ts';
import { useSteadyScroll } from './use-steady-scroll.ts';
import { WholeName } from './whole-name.tsx';

/** What a row adds to the pet's fields. */
export interface RowParts {
  /** What can be done with a pet. Buttons get a tabindex of -1 unless the row is active. */
  renderActions: (pet: Pet, isActive: boolean) => ComponentChildren;
  /** Replaces the fields of a pet, such as by a form; undefined shows the fields. */
  renderCells: (pet: Pet, isActive: boolean) => ComponentChildren | undefined;
  /** A key that was pressed in a row and does not move between rows. */
  onRowKey: (event: KeyboardEvent, pet: Pet) => void;
}

export interface PetGridProps extends RowParts {
  pets: readonly Pet[];
  isNew: (id: bigint) => boolean;
  listKey: string;
  isLoading: boolean;
  /** Set to a function that moves the focus to the active row. */
  enter: RefObject<(() => void) | null>;
  onWatch: (ids: readonly bigint[]) => void;
}

/** The list of pets. Only the rows on the screen exist, and the active one wherever it is, so that it keeps the focus. */
export function PetGrid({ pets, isNew, listKey, isLoading, enter, onWatch, ...parts }: PetGridProps) {
  const rows = useRef<HTMLDivElement>(null);
  const [named, setNamed] = useState<Pet>();
  const { start, end } = useRowWindow(rows, pets.length);
  const active = useActiveRow(rows, pets, parts.onRowKey);
  enter.current = active.enter;
  useSteadyScroll({ rows, pets, listKey, isLoading });

  const shown = pets.slice(start, end);
  useEffect(() => onWatch(shown.map(({ id }) => id)));

  const indexes = shown.map((_, offset) => start + offset);
  if (active.index < start && active.index !== -1) indexes.unshift(active.index);
  if (active.index >= end) indexes.push(active.index);

  const { renderActions, renderCells } = parts;
  return (
    <div class="grid" role="grid" aria-label="Pets" aria-rowcount={pets.length + 1} aria-busy={isLoading}>
      <div class="columns" role="row" aria-rowindex={1}>
        <span role="columnheader">Name</span>
        <span role="columnheader">Status</span>
        <span role="columnheader">Category</span>
        <span role="columnheader">Id</span>
        <span role="columnheader">
          <span class="visually-hidden">Actions</span>
        </span>
      </div>
      <div
        ref={rows}
        class="rows"
        role="rowgroup"
        style={{ '--count': pets.length }}
        onFocusIn={active.onFocusIn}
        onKeyDown={active.onKeyDown}
      >
        {indexes.map((index) => {
          const pet = pets[index];
          if (!pet) return null;
          const isActive = index === active.tabIndex;
          return (
            <PetRow
              key={pet.id.toString()}
              pet={pet}
              index={index}
              isNew={isNew(pet.id)}
              isActive={isActive}
              actions={renderActions(pet, isActive)}
              onShowName={setNamed}
            >
              {renderCells(pet, isActive)}
            </PetRow>
          );
        })}
      </div>
      {named && <WholeName pet={named} onClose={() => setNamed(undefined)} />}
    </div>
  );
}
