import { isPetstoreError, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import { idOf, passes, searchOf, type PetQuery } from '../find/query.ts';
import type { PetRows } from './pet-rows.ts';

export interface PetSyncOptions {
  client: Pick<PetstoreClient, 'searchPetsPage'>;
  rows: PetRows;
  query: PetQuery;
  /** Called after every attempt. */
  onState: () => void;
  idsOnScreen: () => readonly bigint[];
  refreshMs?: number;
  retryMs?: number;
}

/** A page that was loaded: what names it, and the id at which its rows end. */
interface Page {
  next: string | undefined;
  end: bigint;
}

const largestRetryMs = 30_000;
/** More news than this many pages are not counted. */
const mostPages = 10;

/** Fills the rows from the store: the first page by hand, more on demand, and what is on the screen again and again. */
export class PetSync {
  /** How often the list was loaded by hand. */
  loads = 0;
  isLoading = true;
  /** Why the last attempt failed; undefined if it did not. */
  error: unknown;
  /** When the store was last heard, in ms since 1970. */
  heardAtMs: number | undefined;
  query: PetQuery;
  readonly #options: Required<PetSyncOptions>;
  #isStopped = false;
  #isPaused = false;
  #wantsMore = false;
  /** Ends with the next loading by hand. */
  #current = new AbortController();
  #pages: Page[] = [];
  #following: string | undefined;
  #failures = 0;
  #wake = () => {};

  constructor(options: PetSyncOptions) {
    this.#options = { refreshMs: 4000, retryMs: 1000, ...options };
    this.query = options.query;
  }

  /** True when the search finds more than the list has. */
  get hasMore(): boolean {
    return this.#following !== undefined;
  }

  /** How many pages the list has. */
  get pageCount(): number {
    return this.#pages.length;
  }

  /** Works until `stop`. Never rejects. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const pauseMs = this.#isPaused ? undefined : await this.#attempt();
      this.#options.onState();
      if (pauseMs !== 0) await this.#sleep(pauseMs);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#current.abort();
    this.#wake();
  }

  /** Loads the list by hand. Until it is here, the rows stay as they are, and nobody can use them. */
  load(query = this.query): void {
    this.query = query;
    this.#current.abort();
    this.#current = new AbortController();
    this.#wantsMore = false;
    this.isLoading = true;
    this.#options.onState();
    this.#wake();
  }

  more(): void {
    this.#wantsMore = this.hasMore;
    this.#wake();
  }

  /** Asks the store again at once. */
  refresh(): void {
    this.#wake();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) this.#wake();
  }

  async #attempt(): Promise<number> {
    const { refreshMs, retryMs } = this.#options;
    const { signal } = this.#current;
    try {
      // Nobody points at a row of an empty list.
      if (this.isLoading || this.#pages.length === 0) await this.#load(undefined, signal);
      else if (this.#wantsMore) await this.#load(this.#following, signal);
      else await this.#refresh(signal);
      this.error = undefined;
      this.#failures = 0;
      return this.#wantsMore ? 0 : refreshMs;
    } catch (error) {
      if (signal.aborted) return 0;
      // Cursors may change with the version of the service: begin again.
      if (isPetstoreError(error, 'invalid_cursor')) this.isLoading = true;
      this.error = error;
      const retryAfterMs = isPetstoreError(error) ? (error.retryAfterMs ?? 0) : 0;
      return Math.max(retryAfterMs, Math.min(retryMs * 2 ** this.#failures++, largestRetryMs));
    }
  }

  /** Gets the page that a cursor names, or the first one anew. */
  async #load(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    const id = from === undefined ? idOf(this.query) : undefined;
    const [{ pets, next, end }, first] = await Promise.all([
      this.#get(from, signal),
      id === undefined ? undefined : this.#find(id, signal),
    ]);
    if (from === undefined) {
      if (this.isLoading || end !== undefined) this.loads += 1;
      this.isLoading = false;
      this.#pages = [];
      rows.load(pets, next === undefined, this.query.status, first);
    } else rows.append(pets, next === undefined);
    this.#wantsMore = false;
    this.#following = next;
    if (end !== undefined) this.#pages.push({ next: from, end });
  }

  /** Asks again for the first page and those on the screen. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const { rows, idsOnScreen } = this.#options;
    const wantedId = idOf(this.query);
    const first = wantedId === undefined ? undefined : rows.get(wantedId);
    if (first && !first.isRemoved) await this.#findOut(first.pet.id, signal, false);
    const shown = idsOnScreen().map((id) => this.#pages.findIndex(({ end }) => end <= id));
    for (const index of new Set([0, ...shown])) await this.#refreshPage(index, signal);
  }

  /** New pets push others off a page, so it may take several to cover its rows. */
  async #refreshPage(index: number, signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    const page = this.#pages[index];
    let below = this.#pages[index - 1]?.end;
    if (!page) return;
    let { next } = page;
    for (let count = 0; count < mostPages; count++) {
      const asOf = rows.clock;
      const slice = await this.#get(next, signal);
      const missing = rows.apply({ ...slice, below, isLast: slice.next === undefined, asOf });
      for (const { id } of missing) await this.#findOut(id, signal, true);
      below = slice.end;
      next = slice.next;
      if (next === undefined || below === undefined || below <= page.end) return;
    }
  }

  /** Learns what became of a pet of the list. `isOut` is true if the search no longer finds it. */
  async #findOut(id: bigint, signal: AbortSignal, isOut: boolean): Promise<void> {
    const { rows } = this.#options;
    const asOf = rows.clock;
    const pet = await this.#find(id, signal);
    if (rows.clock !== asOf) return;
    if (!pet) rows.remove(id);
    else if (isOut) rows.replace(pet, true);
    else rows.replace(pet);
  }

  async #find(id: bigint, signal: AbortSignal): Promise<Pet | undefined> {
    const { pets } = await this.#options.client.searchPetsPage({ id, signal });
    signal.throwIfAborted();
    return pets[0];
  }

  async #get(from: string | undefined, signal: AbortSignal) {
    const { pets, next } = await this.#options.client.searchPetsPage(
      from === undefined ? { ...searchOf(this.query), limit: 100, signal } : { next: from, signal },
    );
    signal.throwIfAborted();
    this.heardAtMs = Date.now();
    return { pets: pets.filter((pet) => passes(this.query.status, pet)), end: pets.at(-1)?.id, next };
  }

  /** Without a duration, sleeps until it is woken. */
  async #sleep(durationMs: number | undefined): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (durationMs !== undefined) timer = setTimeout(resolve, durationMs);
    });
    clearTimeout(timer);
  }
}
