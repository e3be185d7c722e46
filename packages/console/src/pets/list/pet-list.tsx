import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { labelOf } from '../../draft.ts';
import type { PetsView } from '../data/use-pets.ts';
import { PetGrid, type PetGridProps } from './pet-grid.tsx';

export interface PetListProps extends Omit<PetGridProps, 'rows' | 'loads' | 'isLoading'> {
  view: PetsView;
  onShowAll: () => void;
  onAdd: () => void;
}

/** The list, or why there is none, and what to do about it. */
export function PetList({ view: { rows, sync, problem }, onShowAll, onAdd, ...grid }: PetListProps) {
  const { text, status } = sync.query;
  const count = rows.list.length;

  if (count === 0 && problem)
    return (
      <State title={problem.title} action="Try again" onAction={() => sync.refresh()}>
        {problem.advice} Retrying automatically.
        {problem.requestId !== undefined && ` Request id ${problem.requestId}.`}
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
  return (
    <>
      {rows.newsCount > 0 && (
        <p class="news" role="status">
          {rows.newsCount === 1 ? '1 new pet' : `${rows.newsCount.toLocaleString('en')} new pets`} ·{' '}
          <button type="button" class="link" onClick={() => sync.load()}>
            Show
          </button>
        </p>
      )}
      <PetGrid rows={rows.list} loads={sync.loads} isLoading={sync.isLoading} {...grid} />
      {sync.hasMore ? (
        <More key={count} onSeen={() => sync.more()} />
      ) : (
        <p class="list-end help" role="status">
          {count === 1 ? '1 pet' : `All ${count.toLocaleString('en')} pets`}
        </p>
      )}
    </>
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

interface StateProps {
  title: string;
  action?: string;
  onAction?: (() => void) | undefined;
  children?: ComponentChildren;
}

function State({ title, action, onAction, children }: StateProps) {
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

/** One quiet line while the pets are not up to date. */
export function SyncBar({ view: { rows, problem, sync } }: { view: PetsView }) {
  if (rows.list.length === 0 || !problem) return null;
  const time = new Date(sync.heardAtMs ?? 0).toLocaleTimeString(undefined, { timeStyle: 'short' });
  return (
    <div class="sync-bar is-stale" role="status">
      <p>
        {problem.title}. These are the pets as of {time}. Retrying automatically.
        {problem.requestId !== undefined && ` Request id ${problem.requestId}.`}
      </p>
      <button type="button" class="link" onClick={() => sync.refresh()}>
        Try again
      </button>
    </div>
  );
}
