import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { isUnauthorized } from '../../../../../client/src/index.ts';
import { toProblem, type Problem } from '../../connect.ts';
import type { Till } from '../../till.ts';
import { readQuery, renderQuery, type PetQuery } from '../find/query.ts';

export interface PetsView {
  till: Till;
  /** True from the first key of a new search until its rows arrive: the list still shows those of another search. */
  isSearching: boolean;
  /** Starts the search at once, without waiting for a pause in the typing. */
  search: () => void;
  problem: Problem | undefined;
}

/** A search starts after a pause of this length in the typing. Browsers refuse to change the address with every key. */
const typingMs = 200;

/** Loads the pets of a query, which the address names, and keeps them fresh while somebody can see them. */
export function usePets(till: Till, query: PetQuery): PetsView {
  const { sync, hand, onRefused } = till;
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
    const timer = setTimeout(() => {
      history.replaceState(history.state, '', location.pathname + renderQuery(query) + location.hash);
      search();
    }, typingMs);
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
  return { till, isSearching, search, problem };
}

/** The query of the address, to begin with. */
export function useQuery(): [PetQuery, (changes: Partial<PetQuery>) => void] {
  const [query, setQuery] = useState(() => readQuery(location.search));
  const change = (changes: Partial<PetQuery>) =>
    setQuery((before) => {
      const after = { ...before, ...changes };
      return renderQuery(after) === renderQuery(before) ? before : after;
    });
  return [query, change];
}
