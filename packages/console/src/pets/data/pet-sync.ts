import { isPetstoreError, type PetstoreClient } from '../../../../client/src/index.ts';
import { KnownPages, type KnownPage } from './known-pages.ts';
import type { PetCollection } from './pet-collection.ts';

export interface PetSyncOptions {
  client: Pick<PetstoreClient, 'listPets'>;
  collection: PetCollection;
  /** Called whenever `state` changes. */
  onState: () => void;
  /** Pets beyond this number are not loaded. */
  largestCount?: number;
  refreshMs?: number;
  retryMs?: number;
  newForMs?: number;
}

export interface SyncState {
  /** `loading` until all pets are here once; `full` when the store has more than the console loads. */
  phase: 'loading' | 'complete' | 'full';
  /** Why the last attempt failed. The next one clears it. */
  error: unknown;
  /** When the store was last heard, in ms since 1970. */
  heardAtMs: number | undefined;
}

const pageSize = 100;
const largestRetryMs = 30_000;
const mostWatchedPages = 6;

/**
 * Keeps a collection equal to the store: walks all pages once, then asks again for the first page, the last one, those
 * on the screen and one more in turn. Unchanged pages cost a 304: the browser's cache sends their ETags.
 */
export class PetSync {
  readonly #options: Required<PetSyncOptions>;
  readonly #stop = new AbortController();
  readonly #pages = new KnownPages();
  #watchedIds: readonly bigint[] = [];
  #isPaused = false;
  #failures = 0;
  #wake: (() => void) | undefined;
  #state: SyncState = { phase: 'loading', error: undefined, heardAtMs: undefined };

  constructor(options: PetSyncOptions) {
    this.#options = { largestCount: 50_000, refreshMs: 4000, retryMs: 1000, newForMs: 60_000, ...options };
  }

  get state(): Readonly<SyncState> {
    return this.#state;
  }

  /** Works until `stop`. Never rejects. */
  async run(): Promise<void> {
    while (!this.#stop.signal.aborted) await this.#pause(await this.#attempt());
  }

  stop(): void {
    this.#stop.abort();
    this.#wake?.();
  }

  /** Asks the store again at once. */
  refresh(): void {
    this.#wake?.();
  }

  /** A paused sync finishes its walk but asks for nothing again until it is resumed. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) this.refresh();
  }

  /** The pets on the screen, which are kept fresher than others. */
  watch(ids: readonly bigint[]): void {
    this.#watchedIds = ids;
  }

  /** Returns how long to wait before the next attempt. */
  async #attempt(): Promise<number> {
    const { refreshMs, newForMs, retryMs, collection } = this.#options;
    try {
      if (this.#state.phase !== 'loading') await this.#refresh();
      await this.#walk();
      collection.settle(Date.now() - newForMs);
      this.#failures = 0;
      return refreshMs;
    } catch (error) {
      if (this.#stop.signal.aborted) return 0;
      // Cursors may change with the version of the service: begin again.
      if (isPetstoreError(error, 'invalid_cursor')) this.#pages.forget();
      this.#failures += 1;
      this.#setState({ error });
      const retryAfterMs = isPetstoreError(error) ? (error.retryAfterMs ?? 0) : 0;
      return Math.max(retryAfterMs, Math.min(retryMs * 2 ** (this.#failures - 1), largestRetryMs));
    }
  }

  /** Loads the pages behind the last known one. */
  async #walk(): Promise<void> {
    const { collection, largestCount } = this.#options;
    while (this.#pages.following && collection.pets.length < largestCount)
      await this.#load(this.#pages.following, this.#pages.count);
    this.#setState({ phase: this.#pages.following ? 'full' : 'complete' });
  }

  async #refresh(): Promise<void> {
    for (const index of this.#pages.nextRound(this.#watchedIds, mostWatchedPages)) {
      const page = this.#pages.get(index);
      // An earlier page of this round may have turned out to be the last.
      if (page) await this.#load(page, index);
    }
  }

  async #load(page: KnownPage, index: number): Promise<void> {
    const { client, collection } = this.#options;
    const { signal } = this.#stop;
    const asOf = collection.clock;
    const { pets, next } = await client.listPets(
      page.next === undefined ? { limit: pageSize, signal } : { next: page.next, signal },
    );
    signal.throwIfAborted();
    const last = pets.at(-1);
    const isLast = next === undefined || !last;
    this.#pages.keep(index, page, isLast ? undefined : { next, after: last.id });
    collection.apply({ after: page.after, pets, isLast, asOf }, this.#state.phase !== 'loading');
    this.#setState({ error: undefined, heardAtMs: Date.now() });
  }

  async #pause(durationMs: number): Promise<void> {
    await this.#sleep(durationMs);
    while (this.#isPaused && this.#state.phase !== 'loading' && !this.#stop.signal.aborted)
      await this.#sleep(undefined);
  }

  /** Without a duration, sleeps until it is woken. */
  async #sleep(durationMs: number | undefined): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = durationMs === undefined ? undefined : setTimeout(resolve, durationMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #setState(changes: Partial<SyncState>): void {
    const isChanged = Object.entries(changes).some(
      ([name, value]) => name !== 'heardAtMs' && this.#state[name as keyof SyncState] !== value,
    );
    this.#state = { ...this.#state, ...changes };
    if (isChanged) this.#options.onState();
  }
}
