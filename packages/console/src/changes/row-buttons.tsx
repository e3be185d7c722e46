import type { Pet } from '../../../client/src/index.ts';
import { shortNameOf } from './words.ts';

export interface RowButtonsProps {
  pet: Pet;
  /** The Tab key reaches the buttons of the active row only. */
  isActive: boolean;
  isSaving: boolean;
  hasProblem: boolean;
  onSell: () => void;
  /** A sold pet comes back to the shop. */
  onReturn: () => void;
  onShowProblem: () => void;
  onOpenMenu: (button: HTMLElement) => void;
}

/** Sells a pet with one click; the menu has the rest. */
export function RowButtons({ pet, isActive, onOpenMenu, ...props }: RowButtonsProps) {
  const name = shortNameOf(pet);
  const tabIndex = isActive ? 0 : -1;
  // Always the same button, so that it keeps the focus.
  const { text, label, act, kind } = mainActionOf(pet, props);
  return (
    <>
      <button
        type="button"
        class={`small ${kind}`}
        tabIndex={tabIndex}
        aria-label={label ?? `${text} ${name}`}
        aria-busy={props.isSaving}
        onClick={act}
      >
        {text}
      </button>
      <button
        type="button"
        class="small menu-button"
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-label={`Change ${name}`}
        onClick={({ currentTarget }) => onOpenMenu(currentTarget)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
          <circle cx="3" cy="8" r="1.5" />
          <circle cx="8" cy="8" r="1.5" />
          <circle cx="13" cy="8" r="1.5" />
        </svg>
      </button>
    </>
  );
}

type Actions = Omit<RowButtonsProps, 'pet' | 'isActive' | 'onOpenMenu'>;

function mainActionOf(pet: Pet, { isSaving, hasProblem, onSell, onReturn, onShowProblem }: Actions) {
  if (isSaving) return { text: 'Saving…', kind: 'is-saving', act: undefined };
  if (hasProblem)
    return { text: 'Not saved', label: 'Not saved: see why', kind: 'is-unsaved', act: onShowProblem };
  if (pet.status === 'sold') return { text: 'Return', kind: 'return', act: onReturn };
  return { text: 'Sell', kind: 'plain', act: onSell };
}
