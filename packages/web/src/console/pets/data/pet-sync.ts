import {
  isPetstoreError,
  type Pet,
  type PetEvent,
  type PetstoreClient,
  type SearchPetsPageOptions,
} from '../../../../../client/src/index.ts';
import type { Categories } from '../../categories/categories.ts';
import { idOf, passes, searchOf, type PetQuery } from '../find/query.ts';
import type { PetRows } from './pet-rows.ts';

export interface PetSyncOptions {
  client: Pick<PetstoreClient, 'searchPetsPage' | 'listEvents'>;
  rows: PetRows;
  categories: Categories;
  query: PetQuery;
  /** Called after every step. */
  onState: () => void;
}

/** New pets are counted up to this many pages. */
const mostNewPages = 10;
/** The client itself has tried for a while. */
const retryMs = 2000;
/** The service responds sooner than asked when it is about to stop. */
const earlyMs = 1000;

/**
 * Fills the rows from the store: the first page by hand, more on demand. Then it follows the events, one request at a time.
 * The names of categories come before the rows that show them.
 */
export class PetSync {
  /** How often the list was loaded by hand. */
  loads = 0;
  isLoading = true;
  /** Why the last step failed; undefined if it did not. */
  error: unknown;
  /** The time of the last response, in ms since 1970. */
  heardAtMs: number | undefined;
  query: PetQuery;
  /** How many pages the list has. */
  pageCount = 0;
  readonly #options: PetSyncOptions;
  #wantsMore = false;
  /** True when events do not show every change. */
  #isStale = false;
  #running = new AbortController();
  /** Ends the running request or pause. */
  #current = new AbortController();
  /** The cursor after the events that the rows show. */
  #after: string | undefined;
  #following: string | undefined;
  /** The id with which the pages end. */
  #end: bigint | undefined;

  constructor(options: PetSyncOptions) {
    this.#options = options;
    this.query = options.query;
  }

  /** True when the search finds more than the list has. */
  get hasMore(): boolean {
    return this.#following !== undefined;
  }

  /** Works until `stop`. Never rejects. */
  async run(): Promise<void> {
    this.stop();
    const running = (this.#running = new AbortController());
    while (!running.signal.aborted) {
      const { signal } = this.#current;
      const pauseMs = await this.#takeStep(signal);
      this.#options.onState();
      if (pauseMs > 0) await pause(pauseMs, signal);
    }
  }

  /** Sends nothing until `run`, which resumes where the events were left. */
  stop(): void {
    this.#running.abort();
    this.refresh();
  }

  /** Loads the list by hand. Until it is here, the rows stay as they are, and nobody can use them. */
  load(query = this.query): void {
    this.query = query;
    this.#wantsMore = false;
    this.isLoading = true;
    this.refresh();
    this.#options.onState();
  }

  more(): void {
    if (this.#wantsMore || !this.hasMore) return;
    this.#wantsMore = true;
    this.refresh();
  }

  /** Puts a pet that was added here on top, if the list shows all like it. */
  add(pet: Pet): void {
    if (!this.isLoading && this.query.text === '' && passes(this.query, pet)) this.#options.rows.add(pet);
  }

  /** Asks the store again at once. */
  refresh(): void {
    this.#current.abort();
    this.#current = new AbortController();
  }

  /** Resolves with how long to pause. */
  async #takeStep(signal: AbortSignal): Promise<number> {
    const { client, categories } = this.#options;
    try {
      let pauseMs = 0;
      // Changes made while the pages are read are among the events after this cursor.
      this.#after ??= (await client.listEvents({ after: 'now', signal })).after;
      if (categories.isStale) await categories.load(signal);
      if (this.isLoading) await this.#load(undefined, signal);
      else if (this.#isStale) await this.#reload(signal);
      else if (this.#wantsMore) await this.#load(this.#following, signal);
      else pauseMs = await this.#follow(this.#after, signal);
      this.error = undefined;
      return pauseMs;
    } catch (error) {
      if (signal.aborted) return 0;
      const isGone = isPetstoreError(error, 'events_gone');
      // Cursors may change with the version of the service: begin again.
      if (isPetstoreError(error, 'invalid_cursor')) this.isLoading = true;
      if (isGone || this.isLoading) this.#after = undefined;
      if (isGone) this.#isStale = categories.isStale = true;
      else this.error = error;
      const retryAfterMs = isPetstoreError(error) ? (error.retryAfterMs ?? 0) : 0;
      return isGone ? 0 : Math.max(retryAfterMs, retryMs);
    }
  }

  /** Gets the page that a cursor names, or the first one again. */
  async #load(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    const id = from === undefined ? idOf(this.query) : undefined;
    const first = id === undefined ? undefined : (await this.#search({ id }, signal)).pets[0];
    const { found, next, end } = await this.#getPage(from, signal);
    if (from === undefined) {
      if (this.isLoading || end !== undefined) this.loads += 1;
      this.isLoading = false;
      this.#isStale = false;
      this.pageCount = 0;
      this.#end = undefined;
      rows.load(found, next === undefined, this.query, first);
    } else rows.append(found, next === undefined);
    this.#wantsMore = false;
    this.#following = next;
    if (end === undefined) return;
    this.#end = end;
    this.pageCount += 1;
  }

  /** Reads the pages of the list again. New pets push others off a page, so it may take more. */
  async #reload(signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    // Nobody points at a row of an empty list.
    if (this.#end === undefined) return this.#load(undefined, signal);
    const ids = new Set<bigint>();
    let from: string | undefined;
    let end = this.#end;
    for (let count = 0; count < this.pageCount + mostNewPages; count++) {
      const page = await this.#getPage(from, signal);
      for (const pet of page.found) {
        ids.add(pet.id);
        if (!rows.unconfirmed.has(pet.id)) rows.update(pet.id, pet, true);
      }
      from = page.next;
      end = page.end ?? end;
      if (from === undefined || end <= this.#end) break;
    }
    for (const { pet } of rows.list)
      if (!ids.has(pet.id) && (from === undefined || pet.id >= end)) rows.unconfirmed.add(pet.id);
    this.#isStale = false;
  }

  /** Waits for the next events and applies them. Resolves with how long to pause. */
  async #follow(after: string, signal: AbortSignal): Promise<number> {
    const { client, rows, categories } = this.#options;
    const askedAt = performance.now();
    // After a failure it does not wait, so that the notice disappears as soon as the service is back.
    const wait = this.error === undefined ? 5 : 0;
    const page = await client.listEvents({ after, wait, limit: 100, signal });
    signal.throwIfAborted();
    this.heardAtMs = Date.now();
    const { events } = page;
    if (events.some(({ type }) => type === 'pets.imported' || type.startsWith('category.')))
      categories.isStale = true;
    if (this.pageCount === 0) this.#isStale = events.length > 0;
    else {
      this.#isStale = events.some(({ type }) => type === 'pets.imported');
      // The last event of a pet shows all of it.
      for (const event of new Map(events.map((one) => [one.petId, one])).values()) this.#apply(event);
    }
    for (const id of [...rows.unconfirmed]) await this.#findOut(id, signal);
    this.#after = page.after;
    const isEarly = wait > 0 && performance.now() - askedAt < earlyMs;
    return isEarly && events.length === 0 ? earlyMs : 0;
  }

  #apply({ type, pet }: PetEvent): void {
    const { rows } = this.#options;
    if (!pet || rows.unconfirmed.has(pet.id)) return;
    const isFound = this.#finds(pet);
    if (type === 'pet.deleted') rows.update(pet.id, undefined, false);
    else if (isFound === undefined) rows.unconfirmed.add(pet.id);
    else rows.update(pet.id, pet, isFound);
  }

  /** True when the search finds a pet; undefined when only the service knows, which compares words. */
  #finds(pet: Pet): boolean | undefined {
    const { id = pet.id, categoryId = pet.categoryId, q } = searchOf(this.query);
    if (!passes(this.query, pet)) return false;
    if (idOf(this.query) === pet.id) return true;
    if (id !== pet.id || categoryId !== pet.categoryId) return false;
    return q === undefined ? true : undefined;
  }

  /** Asks the store for a pet, and whether the search finds it. */
  async #findOut(id: bigint, signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    const before = rows.get(id);
    const [pet] = (await this.#search({ id }, signal)).pets;
    const isFound =
      pet &&
      (this.#finds(pet) ?? (await this.#search({ ...searchOf(this.query), id }, signal)).pets.length > 0);
    // It was changed here in the meantime, so it is read again the next time.
    if (rows.get(id) !== before) return;
    rows.unconfirmed.delete(id);
    rows.update(id, pet, isFound === true);
  }

  async #getPage(next: string | undefined, signal: AbortSignal) {
    const options = next === undefined ? { ...searchOf(this.query), limit: 100 } : { next };
    const page = await this.#search(options, signal);
    const found = page.pets.filter((pet) => passes(this.query, pet));
    return { found, end: page.pets.at(-1)?.id, next: page.next };
  }

  async #search(options: SearchPetsPageOptions, signal: AbortSignal) {
    const page = await this.#options.client.searchPetsPage({ ...options, signal });
    signal.throwIfAborted();
    this.heardAtMs = Date.now();
    return page;
  }
}

/** Ends early if the signal aborts. */
function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}
