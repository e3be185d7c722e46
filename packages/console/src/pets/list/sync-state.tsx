import { useEffect, useState } from 'preact/hooks';
import type { PetsView } from '../data/use-pets.ts';

/** Says when the list is not the whole store. */
export function FullNotice({ view }: { view: PetsView }) {
  if (view.phase !== 'full') return null;
  const count = view.collection.pets.length.toLocaleString('en');
  return (
    <p class="sync-line">
      The list and the search cover the {count} oldest pets only. The store has newer ones that are not shown.
    </p>
  );
}

/** One quiet line while the pets are not all here or not up to date. */
export function SyncBar({ view }: { view: PetsView }) {
  const { collection, phase, problem, heardAtMs, retry } = view;
  const total = collection.pets.length;
  if (total === 0) return null;
  if (!problem)
    return phase === 'loading' ? (
      <p class="sync-bar">Loading pets… {total.toLocaleString('en')} so far</p>
    ) : null;
  const time = heardAtMs === undefined ? '' : `These are the pets as of ${timeOf(heardAtMs)}. `;
  return (
    <div class="sync-bar is-stale" role="status">
      <p>
        {problem.title}. {time}Retrying automatically.
        {problem.requestId !== undefined && ` Request id ${problem.requestId}.`}
      </p>
      <button type="button" class="link" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

const announceDelayMs = 600;

/** Tells screen readers what was found, once the person stops typing. */
export function Announcement({ count }: { count: number }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const text = count === 1 ? '1 pet is shown' : `${count.toLocaleString('en')} pets are shown`;
    const timer = setTimeout(() => setSaid(text), announceDelayMs);
    return () => clearTimeout(timer);
  }, [count]);
  return (
    <p class="visually-hidden" role="status">
      {said}
    </p>
  );
}
