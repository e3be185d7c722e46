import { useEffect, useRef } from 'preact/hooks';
import type { Pet, PetStatus } from '../../client/index.ts';
import type { Problem } from '../connect.ts';
import { PetRow } from './pet-row.tsx';
import type { PetsView } from './use-pets.ts';

export interface PetListProps {
  view: PetsView;
  /** Added in this console, newest first. They stay above the others until the list is reloaded. */
  added: Pet[];
  status: PetStatus | undefined;
  onShowAll: () => void;
  onAdd: () => void;
}

export function PetList({ view, added, status, onShowAll, onAdd }: PetListProps) {
  const { pets, loading, problem, hasMore } = view;
  const fresh = added.filter((pet) => status === undefined || pet.status === status);
  const freshIds = new Set(fresh.map(({ id }) => id));
  const others = pets.filter(({ id }) => !freshIds.has(id));
  const isFirst = loading === 'first';
  const count = fresh.length + others.length;

  if (problem && (isFirst || pets.length === 0))
    return <ProblemNotice problem={problem} onRetry={view.retry} />;
  if (isFirst && count === 0) return <Loading />;
  if (count === 0) return <Empty status={status} onShowAll={onShowAll} onAdd={onAdd} />;
  return (
    <div class={isFirst ? 'list is-stale' : 'list'} aria-busy={loading !== undefined}>
      <div class="columns" aria-hidden="true">
        <span>Name</span>
        <span>Status</span>
        <span>Category</span>
        <span>Id</span>
      </div>
      <ul class="rows">
        {[...fresh, ...others].map((pet) => (
          <PetRow key={pet.id.toString()} pet={pet} isNew={freshIds.has(pet.id)} />
        ))}
      </ul>
      <div class="list-end">
        {problem && !isFirst ? (
          <ProblemNotice problem={problem} onRetry={view.retry} />
        ) : hasMore ? (
          <LoadMore isLoading={loading !== undefined} onMore={view.loadMore} />
        ) : (
          <p class="help">{count === 1 ? '1 pet' : `All ${count} pets`}</p>
        )}
      </div>
    </div>
  );
}

/** Loads the next page when it is pressed or scrolled near. */
function LoadMore({ isLoading, onMore }: { isLoading: boolean; onMore: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const watched = button.current;
    if (!watched || isLoading) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore(), {
      rootMargin: '300px',
    });
    observer.observe(watched);
    return () => observer.disconnect();
  }, [isLoading, onMore]);
  return (
    <button type="button" ref={button} class="plain" aria-busy={isLoading} onClick={onMore}>
      {isLoading ? 'Loading more…' : 'Show more'}
    </button>
  );
}

function Loading() {
  return (
    <div class="list" aria-busy="true">
      <p class="visually-hidden" role="status">
        Loading pets…
      </p>
      <div class="columns" aria-hidden="true" />
      <ul class="rows" aria-hidden="true">
        {Array.from({ length: 8 }, (_, index) => (
          <li key={index} class="row is-loading">
            <i />
            <i />
            <i />
            <i />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ProblemNotice({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  return (
    <div class="state" role="alert">
      <h2>{problem.title}</h2>
      <p>
        {problem.advice} {problem.isTemporary && 'Retrying automatically.'}
      </p>
      {problem.requestId !== undefined && (
        <p class="help">
          Request id <code>{problem.requestId}</code>
        </p>
      )}
      <button type="button" class="plain" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

function Empty({ status, onShowAll, onAdd }: Pick<PetListProps, 'status' | 'onShowAll' | 'onAdd'>) {
  const isFiltered = status !== undefined;
  return (
    <div class="state" role="status">
      <h2>{isFiltered ? `No ${status} pets` : 'No pets yet'}</h2>
      <p>{isFiltered ? 'Choose another status, or show all pets.' : 'Add one and it will appear here.'}</p>
      <button type="button" class="plain" onClick={isFiltered ? onShowAll : onAdd}>
        {isFiltered ? 'Show all pets' : 'Add your first pet'}
      </button>
    </div>
  );
}
