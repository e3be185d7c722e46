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
  /** The pet that comes first whatever the search is, if there is one. */
  kept: () => bigint | undefined;
  /** Called after every step. */
  onState: () => void;
}

/** The client itself has tried for a while. */
const retryMs = 2000;
/** How long a person waits for one pet. */
const findMs = 2000;
/** The service responds sooner than asked when it is about to stop. */
const earlyMs = 1000;
/** A page with so many is one of more, as in an import: then the list is loaded again. */
const maxEvents = 100;
/** Until it is loaded again, more will have come. */
const reloadMs = 1000;

/**
 * Fills the rows from the store: the first page by hand and after many changes at once, more on demand. Then it follows
 * the events, one request at a time.
 * The names of categories come before the rows that show them.
 */
export class PetSync {
  /** How often the list was loaded. */
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
  /** True when the events do not show every change, or show too many: the list is loaded again. */
  #isStale = false;
  #running = new AbortController();
  /** Ends the running request or pause. */
  #current = new AbortController();
  /** The cursor after the events that the rows show. */
  #after: string | undefined;
  /** The cursor before the latest of these events. */
  #before: string | undefined;
  #following: string | undefined;

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

  /** Resolves with a pet, which then has a row; undefined if there is none. */
  async find(id: bigint): Promise<Pet | undefined> {
    const { rows } = this.#options;
    const row = rows.get(id);
    if (row && !row.isRemoved) return row.pet;
    const [pet] = (await this.#search({ id }, AbortSignal.timeout(findMs))).pets;
    if (pet) rows.show(pet);
    return pet;
  }

  /** The other key that has just changed a pet; undefined if nobody knows. */
  findOther(petId: bigint, own: string | undefined): Promise<string | undefined> {
    const { client } = this.#options;
    const options = { petId, after: this.#before, limit: 100, signal: AbortSignal.timeout(findMs) };
    return client.listEvents(options).then(
      ({ events }) => events.findLast(({ createdBy }) => createdBy !== own)?.createdBy,
      () => undefined,
    );
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
      this.#after ??= this.#before = (await client.listEvents({ after: 'now', signal })).after;
      if (categories.isStale) await categories.load(signal);
      if (this.isLoading || this.#isStale) await this.#load(undefined, signal);
      else if (this.#wantsMore) await this.#load(this.#following, signal);
      else pauseMs = await this.#follow(this.#after, signal);
      this.error = undefined;
      return pauseMs;
    } catch (error) {
      if (signal.aborted) return 0;
      const isGone = isPetstoreError(error, 'events_gone');
      // Cursors may change with the version of the service: begin again.
      if (isPetstoreError(error, 'invalid_cursor')) this.isLoading = true;
      if (this.isLoading) this.#after = undefined;
      if (isGone) this.#beginAgain();
      else this.error = error;
      const retryAfterMs = isPetstoreError(error) ? (error.retryAfterMs ?? 0) : 0;
      return isGone ? 0 : Math.max(retryAfterMs, retryMs);
    }
  }

  /** Loads the list again, and follows the events from now on. */
  #beginAgain(): void {
    this.#after = undefined;
    this.#isStale = this.#options.categories.isStale = true;
  }

  /** Gets the page that a cursor names, or the first one again. */
  async #load(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { rows } = this.#options;
    const id = from === undefined ? (this.#options.kept() ?? idOf(this.query)) : undefined;
    const first = id === undefined ? undefined : (await this.#search({ id }, signal)).pets[0];
    const options = from === undefined ? { ...searchOf(this.query), limit: 100 } : { next: from };
    const { pets, next } = await this.#search(options, signal);
    const found = pets.filter((pet) => passes(this.query, pet));
    if (from === undefined) {
      if (this.isLoading || pets.length > 0) this.loads += 1;
      this.isLoading = false;
      this.#isStale = false;
      this.pageCount = 0;
      rows.load(found, next === undefined, this.query, first);
    } else rows.append(found, next === undefined);
    this.#wantsMore = false;
    this.#following = next;
    if (pets.length > 0) this.pageCount += 1;
  }

  /** Waits for the next events and applies them. Resolves with how long to pause. */
  async #follow(after: string, signal: AbortSignal): Promise<number> {
    const { client, rows, categories } = this.#options;
    const askedAt = performance.now();
    // After a failure it does not wait, so that the notice disappears as soon as the service is back.
    const wait = this.error === undefined ? 5 : 0;
    const page = await client.listEvents({ after, wait, limit: maxEvents, signal });
    signal.throwIfAborted();
    this.heardAtMs = Date.now();
    const { events } = page;
    if (events.length === maxEvents) {
      this.#beginAgain();
      return reloadMs;
    }
    if (events.some(({ type }) => type.startsWith('category.'))) categories.isStale = true;
    if (this.pageCount === 0) this.#isStale = events.length > 0;
    else {
      // The last event of a pet shows all of it.
      for (const event of new Map(events.map((one) => [one.petId, one])).values()) this.#apply(event);
    }
    for (const id of [...rows.unconfirmed]) await this.#findOut(id, signal);
    if (events.length > 0) this.#before = after;
    this.#after = page.after;
    const isEarly = wait > 0 && performance.now() - askedAt < earlyMs;
    return isEarly && events.length === 0 ? earlyMs : 0;
  }

  #apply({ type, pet, createdBy }: PetEvent): void {
    const { rows } = this.#options;
    if (!pet || rows.unconfirmed.has(pet.id)) return;
    const isFound = this.#finds(pet);
    if (type === 'pet.deleted') rows.update(pet.id, undefined, false, createdBy);
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
    rows.update(id, pet, isFound === true, 'somebody else');
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
