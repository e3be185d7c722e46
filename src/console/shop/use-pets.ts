import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  isUnauthorized,
  type Pet,
  type PetPage,
  type PetstoreClient,
  type PetStatus,
} from '../../client/index.ts';
import { explain, type Problem } from '../connect.ts';

const pageSize = 50;
const tryAgainMs = 3000;

export interface PetsView {
  pets: Pet[];
  /** `first` while a list is loaded, `more` while its next page is. */
  loading: 'first' | 'more' | undefined;
  problem: Problem | undefined;
  hasMore: boolean;
  loadMore: () => void;
  tryAgain: () => void;
}

interface Loaded extends Partial<PetPage> {
  status: PetStatus | undefined;
}

/** The pets with a status, page by page. What fails for a moment is tried again until it works. */
export function usePets(
  client: PetstoreClient,
  status: PetStatus | undefined,
  onRefused: () => void,
): PetsView {
  const [loaded, setLoaded] = useState<Loaded>({ status });
  const [loading, setLoading] = useState<PetsView['loading']>('first');
  const [problem, setProblem] = useState<Problem>();
  const current = useRef<AbortController>(undefined);

  const load = useCallback(
    async (before: Loaded | undefined) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      const { signal } = controller;
      setLoading(before ? 'more' : 'first');
      try {
        const page = await client.listPets(
          before?.next === undefined ? { status, limit: pageSize, signal } : { next: before.next, signal },
        );
        if (signal.aborted) return;
        setLoaded({ ...page, pets: [...(before?.pets ?? []), ...page.pets], status });
        setProblem(undefined);
      } catch (error) {
        if (signal.aborted) return;
        if (isUnauthorized(error)) onRefused();
        setProblem(explain(error));
      }
      setLoading(undefined);
    },
    [client, status, onRefused],
  );

  useEffect(() => {
    setProblem(undefined);
    void load(undefined);
    return () => current.current?.abort();
  }, [load]);

  const isOfThisStatus = loaded.status === status;
  const tryAgain = useCallback(
    () => void load(isOfThisStatus && loaded.next !== undefined ? loaded : undefined),
    [load, loaded, isOfThisStatus],
  );

  useEffect(() => {
    if (!problem?.isPassing || loading) return;
    const timer = setTimeout(tryAgain, tryAgainMs);
    addEventListener('online', tryAgain);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', tryAgain);
    };
  }, [problem, loading, tryAgain]);

  const loadMore = useCallback(() => {
    if (!loading && !problem && loaded.next !== undefined) void load(loaded);
  }, [load, loading, problem, loaded]);

  // While another list is on its way the last one stays, so that nothing jumps; when it does not come, nothing wrong may stay.
  const shown = isOfThisStatus || !problem ? loaded : undefined;
  return {
    pets: shown?.pets ?? [],
    loading,
    problem,
    hasMore: shown?.next !== undefined,
    loadMore,
    tryAgain,
  };
}
