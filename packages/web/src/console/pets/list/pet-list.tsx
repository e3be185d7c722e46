import { useEffect, useRef } from 'preact/hooks';
import type { CategoryNames } from '../../categories/category-names.ts';
import { useCategoryNames } from '../../categories/use-category-names.ts';
import { labelOf } from '../../draft.ts';
import { timeFormat } from '../../day.ts';
import { State } from '../../state.tsx';
import type { PetsView } from '../data/use-pets.ts';
import { idOf, type PetQuery } from '../find/query.ts';
import { PetGrid } from './pet-grid.tsx';

export interface PetListProps {
  view: PetsView;
  onShowAll: () => void;
  onAdd: () => void;
}

/** The list, or why there is none, and what to do about it. */
export function PetList({ view, onShowAll, onAdd }: PetListProps) {
  const { till, problem, isSearching } = view;
  const { rows, sync } = till;
  const { text, status, category } = sync.query;
  const names = useCategoryNames();
  const count = rows.list.length;

  // Rows of another search would be worse than none.
  if (problem && (count === 0 || isSearching))
    return (
      <State title={problem.title} action="Try again" onAction={() => sync.refresh()}>
        <p>{problem.advice} Retrying automatically.</p>
      </State>
    );
  if (count === 0 && isSearching) return <State title="Loading pets…" />;
  const more = sync.hasMore && <More key={sync.pageCount} onSeen={() => sync.more()} />;
  if (count === 0 && more) return more;
  if (count === 0 && text.trim() === '' && status === 'all' && category === undefined)
    return (
      <State title="No pets yet" action="Add your first pet" onAction={till.canChange ? onAdd : undefined}>
        <p>
          To bring many at once, use a terminal with your key in <code>API_KEY</code>:{' '}
          <code>petstore import pets.csv --url {location.origin}</code> reads a file, and{' '}
          <code>petstore seed --count 100 --url {location.origin}</code> makes some up.
        </p>
        <p>
          Petstore knows which pets there are and which are sold. It has no prices, no stock and no customers.
        </p>
      </State>
    );
  if (count === 0)
    return (
      <State title={`No ${describe(sync.query, 'pets', names)}`} action="Show all pets" onAction={onShowAll}>
        {idOf(sync.query) !== undefined && (
          <p>
            To find a pet whose name is a number, use quotes: <code>"{text.trim()}"</code>
          </p>
        )}
      </State>
    );
  const heardAt = timeFormat.format(sync.heardAtMs);
  const id = idOf(sync.query);
  return (
    <>
      {!isSearching && id !== undefined && category === undefined && !rows.get(id) && (
        <p class="help list-start" role="status">
          No pet has the id {id.toString()}. These are the pets in {names.mention(id)}.
        </p>
      )}
      <PetGrid view={view} />
      {more || (
        <p class="list-end help" role="status">
          {tellCount(view, names)}
        </p>
      )}
      {problem && (
        <div class="sync-bar" role="status">
          <p>
            {problem.title}. These are the pets as of {heardAt}. {problem.advice} Retrying automatically.
          </p>
          <button type="button" class="link" onClick={() => sync.refresh()}>
            Try again
          </button>
        </div>
      )}
    </>
  );
}

/** How many pets the search finds; empty while that is not known. */
function tellCount({ till: { rows, sync }, isSearching }: PetsView, names: CategoryNames): string {
  if (isSearching || rows.newsCount > 0) return '';
  const count = rows.list.filter(({ isFilteredOut, isRemoved }) => !isFilteredOut && !isRemoved).length;
  // A pet stands there nevertheless.
  if (count === 0) return '';
  return `${count.toLocaleString('en')} ${describe(sync.query, count === 1 ? 'pet' : 'pets', names)}`;
}

/** What a query finds, such as `sold pets in Dogs matching “rex”`. */
function describe({ text, status, category }: PetQuery, noun: string, names: CategoryNames): string {
  const word = status === 'all' || status === 'none' ? '' : `${labelOf(status).toLowerCase()} `;
  const without = status === 'none' ? ' without a status' : '';
  const within = category === undefined ? '' : ` in ${names.mention(category)}`;
  const match = text.trim() === '' ? '' : ` matching “${text.trim()}”`;
  return `${word}${noun}${within}${without}${match}`;
}

/** Says beside the search that it runs, or that there are new pets without a row yet, so that no row moves. */
export function News({ view: { till, isSearching } }: { view: PetsView }) {
  const { rows, sync } = till;
  const count = rows.newsCount;
  return (
    <span class="news" role="status">
      {isSearching && sync.loads > 0 ? (
        'Searching…'
      ) : count > 0 ? (
        <>
          {count === 1 ? '1 new pet' : `${count.toLocaleString('en')} new pets`} ·{' '}
          <button type="button" class="link" onClick={() => sync.load()}>
            Show
          </button>
        </>
      ) : null}
    </span>
  );
}

function More({ onSeen }: { onSeen: () => void }) {
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onSeen(),
      { rootMargin: '1000px' },
    );
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  return (
    <p ref={end} class="list-end help">
      Loading more pets…
    </p>
  );
}
