import type { Pet } from '../../../../../client/src/index.ts';
import type { Changes } from '../../changes/pet-actions.ts';
import { textOf } from '../../changes/words.ts';
import { labelOf } from '../../draft.ts';
import type { Row } from '../data/pet-rows.ts';

export interface PetRowProps {
  row: Row;
  index: number;
  /** The row of the list that the Tab key reaches. Buttons in other rows have a tabindex of -1. */
  isActive: boolean;
  isChosen: boolean;
  changes: Changes | undefined;
  onOpen: (pet: Pet) => void;
  onSell: (pet: Pet) => void;
}

/** More characters than two lines show on any screen. The rest would only cost time. */
const longestShown = 1000;

export function PetRow({ row, index, isActive, isChosen, changes, onOpen, onSell }: PetRowProps) {
  const { pet, isNew, isFilteredOut, isRemoved } = row;
  const tabIndex = isActive ? 0 : -1;
  const name = textOf([pet]);
  // Somebody else may have sold it just before the click.
  const onBeside = () => pet.status === 'sold' && changes?.notes.say(pet, ' is sold already.');
  return (
    <div
      class={`row${isNew ? ' is-new' : ''}${isFilteredOut || isRemoved ? ' is-out' : ''}`}
      role="row"
      // The header is the first row.
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      tabIndex={tabIndex}
      data-id={pet.id.toString()}
      onClick={({ target }) => !(target instanceof Element && target.closest('.actions')) && onOpen(pet)}
    >
      <span class="name" role="rowheader">
        {pet.name.trim() === '' ? (
          <em>No name</em>
        ) : (
          <bdi class="name-text">{pet.name.slice(0, longestShown)}</bdi>
        )}
        {isNew && <span class="new">New</span>}
      </span>
      {/* By colour and word. */}
      <span class="status-cell" role="gridcell">
        <span class={`status ${isRemoved ? 'none' : (pet.status ?? 'none')}`}>
          {isRemoved ? 'Removed' : labelOf(pet.status)}
        </span>
      </span>
      <span class="numbers" role="presentation">
        <span class="number" role="gridcell">
          <span class="label">Category </span>
          {pet.categoryId.toString()}
        </span>
        <span class="number id" role="gridcell">
          <span class="label">Id </span>
          {pet.id.toString()}
        </span>
      </span>
      <span
        class="actions"
        role="gridcell"
        onClick={({ target, currentTarget }) => target === currentTarget && onBeside()}
      >
        {changes && !isRemoved && (
          <MainButton pet={pet} changes={changes} tabIndex={tabIndex} onSell={() => onSell(pet)} />
        )}
        {!isRemoved && (
          <button
            type="button"
            class="small menu-button"
            tabIndex={tabIndex}
            aria-label={changes ? `Change ${name}` : `Details of ${name}`}
            onClick={() => onOpen(pet)}
          >
            •••
          </button>
        )}
      </span>
    </div>
  );
}

/** Sells a pet with one click, and never turns into another button under the pointer. */
function MainButton(props: { pet: Pet; changes: Changes; tabIndex: number; onSell: () => void }) {
  const { pet, changes, tabIndex, onSell } = props;
  const { actions, notes } = changes;
  const showProblem = () => {
    notes.bringUp(pet.id);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`.note.is-problem[data-pet="${pet.id}"] button`)?.focus(),
    );
  };
  const isSaving = actions.isSaving(pet.id);
  const isUnsaved = !isSaving && notes.hasProblem(pet.id);
  if (pet.status === 'sold' && !isSaving && !isUnsaved) return null;
  const [text, kind] = isSaving
    ? ['Saving…', 'is-saving']
    : isUnsaved
      ? ['Not saved', 'is-unsaved']
      : ['Sell', 'sell'];
  return (
    <button
      type="button"
      class={`small ${kind}`}
      tabIndex={tabIndex}
      aria-label={`${text} ${textOf([pet])}`}
      aria-busy={isSaving}
      onClick={isUnsaved ? showProblem : onSell}
    >
      {text}
    </button>
  );
}
