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
const retryMs = 3000;

export interface PetsView {
  pets: Pet[];
  /** Whether the first page or a later one is loading. */
  loading: 'first' | 'more' | undefined;
  problem: Problem | undefined;
  hasMore: boolean;
  loadMore: () => void;
  retry: () => void;
}

interface Loaded extends Partial<PetPage> {
  status: PetStatus | undefined;
}

/** Loads the pets with a status, page by page, and retries after temporary problems. */
export function usePets(
  client: PetstoreClient,
  status: PetStatus | undefined,
  onRefused: () => void,
): PetsView {
  const [loaded, setLoaded] = useState<Loaded>({ status });
  const [loading, setLoading] = useState<PetsView['loading']>('first');
  const [problem, setProblem] = useState<Problem>();
  const request = useRef<AbortController>(undefined);

  const load = useCallback(
    async (before: Loaded | undefined) => {
      request.current?.abort();
      request.current = new AbortController();
      const { signal } = request.current;
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
    return () => request.current?.abort();
  }, [load]);

  const isCurrent = loaded.status === status;
  const retry = useCallback(
    () => void load(isCurrent && loaded.next !== undefined ? loaded : undefined),
    [load, loaded, isCurrent],
  );

  useEffect(() => {
    if (!problem?.isTemporary || loading) return;
    const timer = setTimeout(retry, retryMs);
    addEventListener('online', retry);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', retry);
    };
  }, [problem, loading, retry]);

  const loadMore = useCallback(() => {
    if (!loading && !problem && loaded.next !== undefined) void load(loaded);
  }, [load, loading, problem, loaded]);

  // The last list stays while the next one loads, so that the layout does not shift. If that fails, it must go.
  const shown = isCurrent || !problem ? loaded : undefined;
  return {
    pets: shown?.pets ?? [],
    loading,
    problem,
    hasMore: shown?.next !== undefined,
    loadMore,
    retry,
  };
}
