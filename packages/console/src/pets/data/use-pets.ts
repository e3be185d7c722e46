import { useCallback, useEffect, useMemo, useReducer } from 'preact/hooks';
import { isUnauthorized, type PetstoreClient } from '../../../../client/src/index.ts';
import { toProblem, type Problem } from '../../connect.ts';
import { PetCollection } from './pet-collection.ts';
import { PetSync, type SyncState } from './pet-sync.ts';

export interface PetsView extends Pick<SyncState, 'phase' | 'heardAtMs'> {
  /** Tell it what you changed in the store: the list shows that at once. */
  collection: PetCollection;
  problem: Problem | undefined;
  /** Asks the store again at once. */
  retry: () => void;
  /** The pets on the screen, which are kept fresher than others. */
  watch: (ids: readonly bigint[]) => void;
}

/** Redrawing for every page would slow down the loading of many. */
const loadingRedrawMs = 250;

/** Loads all pets in the background and keeps them fresh while somebody can see them. */
export function usePets(client: PetstoreClient, onRefused: () => void): PetsView {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const { collection, sync, listen } = useMemo(() => connectSync(client), [client]);

  useEffect(() => listen(() => redraw()), [listen]);

  useEffect(() => {
    const setPaused = () => sync.setPaused(document.visibilityState === 'hidden');
    const refresh = () => sync.refresh();
    setPaused();
    document.addEventListener('visibilitychange', setPaused);
    addEventListener('online', refresh);
    addEventListener('offline', refresh);
    void sync.run();
    return () => {
      document.removeEventListener('visibilitychange', setPaused);
      removeEventListener('online', refresh);
      removeEventListener('offline', refresh);
      sync.stop();
    };
  }, [sync]);

  const { phase, heardAtMs, error } = sync.state;
  const isRefused = isUnauthorized(error);
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused, onRefused]);

  const problem = useMemo(() => (error === undefined ? undefined : toProblem(error)), [error]);
  const retry = useCallback(() => sync.refresh(), [sync]);
  const watch = useCallback((ids: readonly bigint[]) => sync.watch(ids), [sync]);
  return { collection, phase, heardAtMs, problem, retry, watch };
}

/** `listen` calls back soon after a change, once for all changes of a moment. */
function connectSync(client: PetstoreClient) {
  const collection = new PetCollection();
  let tell = () => {};
  const sync = new PetSync({ client, collection, onState: () => tell() });
  const listen = (listener: () => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = collection.subscribe(() => {
      const isBusy = sync.state.phase === 'loading' && collection.pets.length > 100;
      timer ??= setTimeout(tell, isBusy ? loadingRedrawMs : 0);
    });
    tell = () => {
      clearTimeout(timer);
      timer = undefined;
      listener();
    };
    return () => {
      unsubscribe();
      clearTimeout(timer);
      tell = () => {};
    };
  };
  return { collection, sync, listen };
}
