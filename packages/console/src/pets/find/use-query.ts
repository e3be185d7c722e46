import { useCallback, useEffect, useState } from 'preact/hooks';
import { readQuery, renderQuery, type PetQuery } from './query.ts';

/** Browsers refuse to change the address many times in a short while. */
const addressDelayMs = 150;

/** The query of the address. Changes of it go back there, without a new entry in the history. */
export function useQuery(): [PetQuery, (changes: Partial<PetQuery>) => void] {
  const [query, setQuery] = useState(() => readQuery(location.search));
  useEffect(() => {
    const timer = setTimeout(() => {
      history.replaceState(history.state, '', location.pathname + renderQuery(query) + location.hash);
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [query]);
  const change = useCallback(
    (changes: Partial<PetQuery>) => setQuery((before) => ({ ...before, ...changes })),
    [],
  );
  return [query, change];
}
