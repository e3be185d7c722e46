import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { isUnauthorized } from '../../../../../client/src/index.ts';
import { toProblem, type Problem } from '../../connect.ts';
import type { Till } from '../../till.ts';
import { readQuery, renderQuery, type PetQuery } from '../find/query.ts';
import type { PetInHand } from './pet-in-hand.ts';
import type { PetRows } from './pet-rows.ts';
import type { PetSync } from './pet-sync.ts';

export interface PetsView {
  rows: PetRows;
  sync: PetSync;
  hand: PetInHand;
  /** True from the first key of a new search until its rows arrive: the list still shows those of another search. */
  isSearching: boolean;
  /** Starts the search at once, without waiting for a pause in the typing. */
  search: () => void;
  problem: Problem | undefined;
}

/** A search starts after a pause of this length in the typing. */
const typingMs = 200;

/** Loads the pets of a query and keeps them fresh while somebody can see them. */
export function usePets({ rows, sync, hand }: Till, query: PetQuery, onRefused: () => void): PetsView {
  useEffect(() => {
    const run = () => (document.visibilityState === 'hidden' ? sync.stop() : void sync.run());
    run();
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('visibilitychange', run, { signal });
    for (const event of ['online', 'offline']) addEventListener(event, () => sync.refresh(), { signal });
    return () => {
      stop.abort();
      sync.stop();
    };
  }, [sync]);

  const isTyping = renderQuery(query) !== renderQuery(sync.query);
  const search = () => {
    if (isTyping) sync.load(query);
  };
  useEffect(() => {
    const timer = setTimeout(search, typingMs);
    return () => clearTimeout(timer);
  }, [sync, query]);

  const { error } = sync;
  const isRefused = isUnauthorized(error);
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused]);
  const problem = error === undefined ? undefined : toProblem(error);
  const isSearching = isTyping || sync.isLoading;
  useLayoutEffect(() => {
    if (!isSearching) hand.settle();
  }, [isTyping, isSearching, sync.loads]);
  return { rows, sync, hand, isSearching, search, problem };
}

/** Browsers refuse to change the address many times in a short while. */
const addressDelayMs = 150;

/** The query of the address. A change is written back there, without a new entry in the history. */
export function useQuery(): [PetQuery, (changes: Partial<PetQuery>) => void] {
  const [query, setQuery] = useState(() => readQuery(location.search));
  useEffect(() => {
    const timer = setTimeout(() => {
      history.replaceState(history.state, '', location.pathname + renderQuery(query) + location.hash);
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [query]);
  const change = (changes: Partial<PetQuery>) =>
    setQuery((before) => {
      const after = { ...before, ...changes };
      return renderQuery(after) === renderQuery(before) ? before : after;
    });
  return [query, change];
}
