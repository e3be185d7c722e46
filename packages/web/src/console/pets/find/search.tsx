import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useCategoryNames } from '../../categories/use-category-names.ts';
import { labelOf } from '../../draft.ts';
import { statusFilters, type PetQuery, type StatusFilter } from './query.ts';

export interface SearchProps {
  text: string;
  onChange: (text: string) => void;
  onDown: (isEnter: boolean) => void;
  /** Told at the end of the field. */
  children: ComponentChildren;
}

export function Search({ text, onChange, onDown, children }: SearchProps) {
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    // These keys also choose among the words that an input method offers.
    if (event.isComposing) return;
    if (event.key === 'Escape' && text === '') event.currentTarget.blur();
    else if (event.key === 'Escape') onChange('');
    else if (event.key === 'ArrowDown' || event.key === 'Enter') onDown(event.key === 'Enter');
    else return;
    event.preventDefault();
  };
  return (
    <search class="search search-box">
      <input
        id="search"
        type="search"
        aria-label="Search"
        placeholder="Find by name, id or category"
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        aria-keyshortcuts="/"
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {children}
    </search>
  );
}

/** Moves the focus to the search of the screen, where the next letter replaces its text. */
export function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('input[type=search]');
  field?.focus();
  field?.select();
}

/** Radio buttons: one click or the arrow keys choose a status. */
export function Filter({ chosen, onChoose }: { chosen: StatusFilter; onChoose: (s: StatusFilter) => void }) {
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">Filter by status</legend>
      {statusFilters.map((status) => (
        <label key={status} class={`choice ${status}`}>
          <input type="radio" name="status" checked={chosen === status} onChange={() => onChoose(status)} />
          <span>{status === 'all' ? 'All' : labelOf(status === 'none' ? undefined : status)}</span>
        </label>
      ))}
    </fieldset>
  );
}

export interface CategoryFilterProps {
  chosen: bigint | undefined;
  onChoose: (category: bigint | undefined) => void;
}

/** Absent in a store without names. */
export function CategoryFilter({ chosen, onChoose }: CategoryFilterProps) {
  const names = useCategoryNames();
  if (names.list.length === 0 && chosen === undefined) return null;
  const isNamed = chosen === undefined || names.list.some(({ id }) => id === chosen);
  const categories = isNamed ? names.list : [{ id: chosen, name: `Category ${chosen}` }, ...names.list];
  return (
    <select
      class="category-filter"
      aria-label="Filter by category"
      value={chosen?.toString() ?? ''}
      onChange={({ currentTarget: { value } }) => onChoose(value === '' ? undefined : BigInt(value))}
    >
      <option value="">All categories</option>
      {categories.map(({ id, name }) => (
        <option key={id.toString()} value={id.toString()}>
          {names.nameOf(id) ?? name}
        </option>
      ))}
    </select>
  );
}

/** More than a person would read. Another letter makes them fewer. */
const mostFound = 5;

/** The categories that a search finds by their names. */
export function FoundCategories(props: {
  query: PetQuery;
  onChoose: (category: bigint) => void;
  onDown: () => void;
}) {
  const { query, onChoose, onDown } = props;
  const names = useCategoryNames();
  const found = names.find(query.text).filter(({ id }) => id !== query.category);
  if (found.length === 0) return null;
  return (
    <p
      class="list-start found"
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        onDown();
      }}
    >
      {found.slice(0, mostFound).map(({ id }) => (
        <button type="button" key={id.toString()} class="plain small" onClick={() => onChoose(id)}>
          Pets in <bdi>{names.nameOf(id)}</bdi>
        </button>
      ))}
    </p>
  );
}
