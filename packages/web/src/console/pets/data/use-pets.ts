import { useEffect, useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { isUnauthorized, type PetstoreClient } from '../../../../../client/src/index.ts';
import { Categories } from '../../categories/categories.ts';
import { toProblem, type Problem } from '../../connect.ts';
import { readQuery, renderQuery, type PetQuery } from '../find/query.ts';
import { PetInHand, type PetInHandOptions } from './pet-in-hand.ts';
import { PetRows } from './pet-rows.ts';
import { PetSync } from './pet-sync.ts';

export interface PetsView {
  /** Tell these rows what you changed in the store, and the list shows it at once. */
  rows: PetRows;
  sync: PetSync;
  categories: Categories;
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
export function usePets(
  client: PetstoreClient,
  query: PetQuery,
  told: Pick<PetInHandOptions, 'tell' | 'onLeft'>,
  onRefused: () => void,
): PetsView {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const { rows, sync, categories, hand } = useMemo(
    () => follow(client, query, told, () => redraw()),
    [client],
  );

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
  return { rows, sync, categories, hand, isSearching, search, problem };
}

function follow(
  client: PetstoreClient,
  query: PetQuery,
  told: Pick<PetInHandOptions, 'tell' | 'onLeft'>,
  onState: () => void,
) {
  const rows = new PetRows(onState);
  const categories = new Categories({ client, onChange: onState });
  const hand: PetInHand = new PetInHand({ rows, ...told, find: (id) => sync.find(id), onChange: onState });
  const kept = () => (hand.isSure ? hand.id : undefined);
  const sync = new PetSync({ client, rows, categories, query, kept, onState });
  return { rows, categories, hand, sync };
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
