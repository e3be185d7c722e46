import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { labelOf } from '../../draft.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { numberOf, statusFilters, type StatusFilter } from './query.ts';

export interface SearchProps {
  text: string;
  onChange: (text: string) => void;
  onDown: () => void;
  children: ComponentChildren;
}

/** Searches names; for a number, offers the two things it may be. */
export function Search({ text, onChange, onDown, children }: SearchProps) {
  const number = numberOf(text);
  const box = useRef<HTMLInputElement>(null);
  const enter = () => {
    box.current?.focus();
    box.current?.select();
  };
  useShortcuts({ '/': enter });
  const onKeyDown = (event: KeyboardEvent) => {
    // These keys also choose among the words that an input method offers.
    if (event.isComposing) return;
    if (event.key === 'Escape' && text === '') box.current?.blur();
    else if (event.key === 'Escape') onChange('');
    else if (event.key === 'ArrowDown' || event.key === 'Enter') onDown();
    else return;
    event.preventDefault();
  };
  const choose = (chosen: string) => () => {
    onChange(chosen);
    enter();
  };
  return (
    <search class="search">
      <label class="search-box">
        <span class="visually-hidden">Search</span>
        <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
          <circle cx="8.5" cy="8.5" r="5.5" />
          <path d="m13 13 4.5 4.5" />
        </svg>
        <input
          ref={box}
          type="search"
          placeholder="Name, or a number"
          autocomplete="off"
          spellcheck={false}
          maxLength={100}
          aria-keyshortcuts="/"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      {number !== undefined && (
        <span class="meant">
          <button type="button" class="plain small" onClick={choose(`#${number}`)}>
            Id {number.toString()}
          </button>
          <button type="button" class="plain small" onClick={choose(`category:${number}`)}>
            Category {number.toString()}
          </button>
        </span>
      )}
      {children}
    </search>
  );
}

/** Radio buttons: one click or the arrow keys choose a status. */
export function Filter({ chosen, onChoose }: { chosen: StatusFilter; onChoose: (s: StatusFilter) => void }) {
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">Filter by status</legend>
      {statusFilters.map((status) => (
        <label key={status} class={`choice ${status}`}>
          <input type="radio" name="status" checked={chosen === status} onChange={() => onChoose(status)} />
          <span>{status === 'all' ? 'All' : labelOf(status)}</span>
        </label>
      ))}
    </fieldset>
  );
}
