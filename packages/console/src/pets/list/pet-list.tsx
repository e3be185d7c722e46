import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { labelOf } from '../../draft.ts';
import type { PetsView } from '../data/use-pets.ts';
import { PetGrid, type PetGridProps } from './pet-grid.tsx';

export interface PetListProps extends PetGridProps {
  onShowAll: () => void;
  onAdd: () => void;
}

/** The list, or why there is none, and what to do about it. */
export function PetList({ onShowAll, onAdd, ...grid }: PetListProps) {
  const { rows, sync, problem } = grid.view;
  const { text, status } = sync.query;
  const count = rows.list.length;

  if (count === 0 && problem)
    return (
      <State title={problem.title} action="Try again" onAction={() => sync.refresh()}>
        {problem.advice} Retrying automatically.
      </State>
    );
  if (count === 0 && sync.isLoading) return <State title="Loading pets…" />;
  if (count === 0 && text.trim() === '' && status === 'all')
    return <State title="No pets yet" action="Add your first pet" onAction={grid.changes && onAdd} />;
  if (count === 0) {
    const match = text.trim() === '' ? '' : ` match “${text.trim()}”`;
    const title = `No ${status === 'all' ? '' : `${labelOf(status).toLowerCase()} `}pets${match}`;
    return <State title={title} action="Show all pets" onAction={onShowAll} />;
  }
  const heardAt = new Date(sync.heardAtMs ?? 0).toLocaleTimeString(undefined, { timeStyle: 'short' });
  return (
    <>
      <PetGrid {...grid} />
      {sync.hasMore ? (
        <More key={count} onSeen={() => sync.more()} />
      ) : (
        <p class="list-end help" role="status">
          {count === 1 ? '1 pet' : `All ${count.toLocaleString('en')} pets`}
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

/** Announces pets that have no row yet, in a place of its own: no row moves. */
export function News({ view: { rows, sync } }: { view: PetsView }) {
  const count = rows.newsCount;
  return (
    <p class="news" role="status">
      {count > 0 && (
        <span>
          {count === 1 ? '1 new pet' : `${count.toLocaleString('en')} new pets`} ·{' '}
          <button type="button" class="link" onClick={() => sync.load()}>
            Show
          </button>
        </span>
      )}
    </p>
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

function State(props: {
  title: string;
  action?: string;
  onAction?: (() => void) | undefined;
  children?: ComponentChildren;
}) {
  const { title, action, onAction, children } = props;
  return (
    <div class="state" role="status">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {onAction && (
        <button type="button" class="plain" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
