import { Component } from 'preact';
import { textOf, type Wish } from '../../changes/words.ts';
import { labelOf } from '../../draft.ts';
import type { Row } from '../data/pet-rows.ts';

export interface PetRowProps {
  row: Row;
  /** The name of the category, or its number. */
  category: string;
  /** The row of the list that the Tab key reaches. Buttons in other rows have a tabindex of -1. */
  isActive: boolean;
  isChosen: boolean;
  canChange: boolean;
  /** What the main button shows; a pet that is sold already has none. */
  main: keyof typeof mainTexts | undefined;
  /** What is about to happen to it. */
  held: Wish | undefined;
}

/** The class and the text of the main button. It never turns into another button under the pointer. */
const mainTexts = { sell: 'Sell', 'is-saving': 'Saving…', 'is-unsaved': 'Not saved' };

/** One of thousands, so it is drawn again only if a property has changed. The grid takes its clicks. */
export class PetRow extends Component<PetRowProps> {
  override shouldComponentUpdate(next: PetRowProps): boolean {
    return (Object.keys(next) as (keyof PetRowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ row, category, isActive, isChosen, canChange, main, held }: PetRowProps) {
    const { pet, isNew, isFilteredOut, isRemoved } = row;
    const isGone = isRemoved || held !== undefined;
    const tabIndex = isActive ? 0 : -1;
    const name = textOf([pet]);
    return (
      <div
        class={`row${isNew ? ' is-new' : ''}${isFilteredOut || isGone ? ' is-out' : ''}${isGone ? ' is-struck' : ''}`}
        role="row"
        aria-selected={isChosen}
        tabIndex={tabIndex}
        data-id={pet.id.toString()}
      >
        <span class="name" role="rowheader">
          {pet.name.trim() === '' ? <em>No name</em> : <bdi class="name-text">{pet.name}</bdi>}
          {isNew && <span class="new">New</span>}
        </span>
        {/* By colour and word. */}
        <span class="status-cell" role="gridcell">
          <span class={`status ${isRemoved ? 'none' : (pet.status ?? 'none')}`}>
            {isRemoved
              ? 'Removed'
              : held
                ? held === 'remove'
                  ? 'Removing…'
                  : 'Returning…'
                : labelOf(pet.status)}
          </span>
        </span>
        <span class="numbers" role="presentation">
          <span class="number category" role="gridcell">
            <span class="label">Category </span>
            <bdi>{category}</bdi>
          </span>
          <span class="number id" role="gridcell">
            <span class="label">Id </span>
            {pet.id.toString()}
          </span>
        </span>
        <span class="actions" role="gridcell">
          {main && !isGone && (
            <button
              type="button"
              class={`small ${main}`}
              tabIndex={tabIndex}
              aria-label={`${mainTexts[main]} ${name}`}
              aria-busy={main === 'is-saving'}
            >
              {mainTexts[main]}
            </button>
          )}
          {!isRemoved && (
            <button
              type="button"
              class="small menu-button"
              tabIndex={tabIndex}
              aria-label={canChange ? `Change ${name}` : `Details of ${name}`}
            >
              •••
            </button>
          )}
        </span>
      </div>
    );
  }
}
