import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Pet } from '../../../../../client/src/index.ts';
import { useCategoryNames } from '../../categories/use-category-names.ts';
import type { Notes } from '../../changes/notes.ts';
import type { Outbox } from '../../changes/outbox.ts';
import type { Wish } from '../../changes/words.ts';
import type { Row } from '../data/pet-rows.ts';
import type { PetsView } from '../data/use-pets.ts';
import { PetRow, type PetRowProps } from './pet-row.tsx';
import { useActiveRow } from './use-active-row.ts';

export function PetGrid({ view: { till, isSearching } }: { view: PetsView }) {
  const { hand, notes, outbox, canChange } = till;
  const rows = till.rows.list;
  const { loads } = till.sync;
  const box = useRef<HTMLDivElement>(null);
  const active = useActiveRow(box, rows, hand);
  useLayoutEffect(() => {
    if (loads > 1 && (box.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo(0, 0);
  }, [loads]);

  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>('.row')?.dataset['id'];
    const pet = id === undefined ? undefined : till.rows.get(BigInt(id))?.pet;
    if (!pet) return;
    hand.take(pet.id);
    if (target.closest('.is-unsaved')) showProblem(pet, notes);
    else if (target.closest('.sell, .is-saving')) outbox.setStatus(pet, 'sold');
    else if (!target.matches('.actions')) hand.open('open');
    // Somebody else may have sold it just before the click.
    else if (canChange && pet.status === 'sold') notes.tell(pet, ' is sold already.');
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
      aria-busy={isSearching}
      inert={isSearching}
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
            isChosen={row.pet.id === hand.id}
            canChange={canChange}
            main={canChange ? mainOf(row.pet, outbox) : undefined}
            held={heldOf(row.pet, outbox)}
          />
        ))}
      </div>
    </div>
  );
}

function mainOf(pet: Pet, outbox: Outbox): PetRowProps['main'] {
  const change = outbox.changeOf(pet.id);
  if (change) return change.note ? 'is-unsaved' : 'is-saving';
  return pet.status === 'sold' ? undefined : 'sell';
}

function heldOf({ id }: Pet, outbox: Outbox): Wish | undefined {
  const change = outbox.changeOf(id);
  return change?.state === 'held' ? change.wish : undefined;
}

function showProblem({ id }: Pet, notes: Notes): void {
  notes.bringUp(id);
  const button = `.note.is-problem[data-pet="${id}"] button`;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(button)?.focus());
}
