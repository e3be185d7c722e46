import type { RefObject } from 'preact';
import type { PetQuery } from './query.ts';

export interface SearchProps {
  query: PetQuery;
  onChange: (changes: Partial<PetQuery>) => void;
  /** The search box, for the shortcut that goes there. */
  box: RefObject<HTMLInputElement | null>;
  /** Goes from the search box to the pets it found. */
  onDown: () => void;
}

export function Search({ query, onChange, box, onDown }: SearchProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    // These keys also choose among the words that an input method offers.
    if (event.isComposing) return;
    if (event.key === 'Escape' && query.text === '') box.current?.blur();
    else if (event.key === 'Escape') onChange({ text: '' });
    else if (event.key === 'ArrowDown' || event.key === 'Enter') onDown();
    else return;
    event.preventDefault();
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
          placeholder="Name, category or id"
          autocomplete="off"
          spellcheck={false}
          aria-keyshortcuts="/"
          value={query.text}
          onInput={(event) => onChange({ text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
      </label>
      <label class="order">
        <span class="visually-hidden">Order</span>
        <select
          value={query.order}
          onChange={(event) =>
            onChange({ order: event.currentTarget.value === 'oldest' ? 'oldest' : 'newest' })
          }
        >
          <option value="newest">Newest first</option>
          <option value="oldest">Oldest first</option>
        </select>
      </label>
    </search>
  );
}
