import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Pet } from '../../../../../client/src/index.ts';
import { useCategoryNames } from '../../categories/use-category-names.ts';
import type { Changes } from '../../changes/pet-actions.ts';
import type { Row } from '../data/pet-rows.ts';
import type { PetsView } from '../data/use-pets.ts';
import { PetRow, type PetRowProps } from './pet-row.tsx';
import { useActiveRow } from './use-active-row.ts';

export interface PetGridProps {
  view: PetsView;
  chosenId: bigint | undefined;
  changes: Changes | undefined;
  onOpen: (pet: Pet) => void;
  onSell: (pet: Pet) => void;
  /** Called for each key pressed in a row, except those that move between rows. */
  onRowKey: (event: KeyboardEvent, row: Row) => void;
}

export function PetGrid({ view, chosenId, changes, onOpen, onSell, onRowKey }: PetGridProps) {
  const { list: rows } = view.rows;
  const { loads } = view.sync;
  const box = useRef<HTMLDivElement>(null);
  const active = useActiveRow(box, rows, onRowKey);
  useLayoutEffect(() => {
    if (loads > 1 && (box.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo(0, 0);
  }, [loads]);

  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>('.row')?.dataset['id'];
    const pet = id === undefined ? undefined : view.rows.get(BigInt(id))?.pet;
    if (!pet) return;
    if (target.closest('.is-unsaved')) showProblem(pet, changes);
    else if (target.closest('.sell, .is-saving')) onSell(pet);
    else if (!target.matches('.actions')) onOpen(pet);
    // Somebody else may have sold it just before the click.
    else if (pet.status === 'sold') changes?.notes.say(pet, ' is sold already.');
  };
  const names = useCategoryNames();
  const categoryOf = ({ pet }: Row) => names.nameOrNumber(pet.categoryId);
  /** Rows that are out of sight have no size, so the longest text must be counted. */
  const widthOf = (textIn: (row: Row) => string) =>
    rows.reduce((widest, row) => Math.max(widest, textIn(row).length), 0);

  return (
    <div
      class="grid card"
      role="grid"
      aria-label="Pets"
      aria-busy={view.isSearching}
      inert={view.isSearching}
      style={`--category: ${widthOf(categoryOf)}ch; --id: ${widthOf(({ pet }) => pet.id.toString())}ch`}
    >
      <div class="columns" role="row">
        {['Name', 'Status', 'Category', 'Id'].map((name) => (
          <span role="columnheader">{name}</span>
        ))}
        <span role="columnheader">
          <span class="visually-hidden">Actions</span>
        </span>
      </div>
      <div
        ref={box}
        class="rows"
        role="rowgroup"
        onClick={onClick}
        onFocusIn={active.onFocusIn}
        onKeyDown={active.onKeyDown}
      >
        {rows.map((row, index) => (
          <PetRow
            key={row.pet.id.toString()}
            row={row}
            category={categoryOf(row)}
            isActive={index === active.tabIndex}
            isChosen={row.pet.id === chosenId}
            canChange={changes !== undefined}
            main={changes && mainOf(row.pet, changes)}
          />
        ))}
      </div>
    </div>
  );
}

function mainOf(pet: Pet, { actions, notes }: Changes): PetRowProps['main'] {
  if (actions.isSaving(pet.id)) return 'is-saving';
  if (notes.hasProblem(pet.id)) return 'is-unsaved';
  return pet.status === 'sold' ? undefined : 'sell';
}

function showProblem({ id }: Pet, changes: Changes | undefined): void {
  changes?.notes.bringUp(id);
  const button = `.note.is-problem[data-pet="${id}"] button`;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(button)?.focus());
}
