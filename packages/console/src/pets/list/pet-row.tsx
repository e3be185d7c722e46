import type { ComponentChildren } from 'preact';
import type { Pet, PetStatus } from '../../../../client/src/index.ts';
import { labelOf } from '../find/filter.tsx';
import { PetName } from './pet-name.tsx';

export interface PetRowProps {
  pet: Pet;
  /** Its place in the list that is shown, from 0. */
  index: number;
  isNew: boolean;
  /** The row of the list that the Tab key reaches. What can be pressed in other rows has a tabindex of -1. */
  isActive: boolean;
  /** What can be done with the pet, at the end of the row. */
  actions: ComponentChildren;
  /** Shown instead of the fields of the pet, such as a form that edits it. */
  children?: ComponentChildren;
  onShowName: (pet: Pet) => void;
}

export function PetRow({ pet, index, isNew, isActive, actions, children, onShowName }: PetRowProps) {
  return (
    <div
      class={isNew ? 'row is-new' : 'row'}
      role="row"
      // The header is the first row.
      aria-rowindex={index + 2}
      tabIndex={isActive ? 0 : -1}
      data-id={pet.id.toString()}
      style={{ '--index': index }}
    >
      {children ?? (
        <>
          <PetName pet={pet} isNew={isNew} isActive={isActive} onShowName={onShowName} />
          <StatusMark status={pet.status} />
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
          <span class="actions" role="gridcell">
            {actions}
          </span>
        </>
      )}
    </div>
  );
}

/** Shows the status by colour, shape and word. */
function StatusMark({ status }: { status: PetStatus | undefined }) {
  return (
    <span class="status-cell" role="gridcell">
      <span class={`status ${status ?? 'none'}`}>{labelOf(status)}</span>
    </span>
  );
}
