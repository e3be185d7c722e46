import type { Pet } from '../../../../../client/src/index.ts';
import { petFields } from '../../draft.ts';
import { defaultQuery, passes, type PetQuery } from '../find/query.ts';

/** A place in the list. The pet in it never changes to another one. */
export interface Row {
  readonly pet: Pet;
  /** It was announced before the list was loaded, or added here. */
  readonly isNew: boolean;
  /** It no longer fits the search, but stays in its place. */
  readonly isFilteredOut: boolean;
  readonly isRemoved: boolean;
  /** The key that has removed it, unless it was this till. */
  readonly removedBy?: string | undefined;
}

/** The rows of the list, newest first. Loading replaces them; all else changes them in place or adds below. */
export class PetRows {
  list: readonly Row[] = [];
  /** Changes when rows have moved. */
  moves = 0;
  /**
   * Pets to read by their id: those changed here, whose response may be older than an event, and those that a search by
   * words may find.
   */
  readonly unconfirmed = new Set<bigint>();
  readonly #onChange: () => void;
  #news = new Set<bigint>();
  #isComplete = false;
  #query = defaultQuery;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** How many pets the search finds that have no row yet. */
  get newsCount(): number {
    return this.#news.size;
  }

  get(id: bigint): Row | undefined {
    return this.list.find(({ pet }) => pet.id === id);
  }

  /** A pet that somebody asked for by its id comes first, whatever the filters are. */
  load(pets: readonly Pet[], isLast: boolean, query: PetQuery, first?: Pet): void {
    const news = this.#news;
    this.#query = query;
    this.#news = new Set();
    this.#isComplete = isLast;
    const others = pets.filter(({ id }) => id !== first?.id).map((pet) => this.#rowOf(pet, news.has(pet.id)));
    this.#set(first ? [this.#rowOf(first, false, !passes(query, first)), ...others] : others);
  }

  /** Puts a pet that was added here on top. */
  add(pet: Pet): void {
    if (this.get(pet.id)) return;
    this.#news.delete(pet.id);
    this.unconfirmed.add(pet.id);
    this.#set([this.#rowOf(pet, true), ...this.list]);
  }

  /** Puts a pet that somebody asked for by its id on top, unless it has a row. */
  show(pet: Pet): void {
    const isFilteredOut = this.#query.text !== '' || !passes(this.#query, pet);
    if (!this.get(pet.id)) this.#set([this.#rowOf(pet, false, isFilteredOut), ...this.list]);
  }

  append(pets: readonly Pet[], isLast: boolean): void {
    this.#isComplete = isLast;
    const fresh = pets.filter(({ id }) => !this.get(id));
    this.#set([...this.list, ...fresh.map((pet) => this.#rowOf(pet, false))]);
  }

  /** Updates the row of a pet; `undefined` if the pet is gone. A pet without a row may be news. */
  update(id: bigint, pet: Pet | undefined, isFound: boolean, by?: string): void {
    const end = this.#isComplete ? undefined : this.list.at(-1)?.pet.id;
    const isNews = isFound && !this.get(id) && (end === undefined || id > end);
    this.#news[isNews ? 'add' : 'delete'](id);
    this.#change(id, (row) =>
      pet
        ? this.#rowOf(pet, row.isNew, !isFound, row)
        : { ...row, isRemoved: true, removedBy: row.isRemoved ? row.removedBy : by },
    );
  }

  /** Shows a pet as the store has it after a change from here. */
  replace(pet: Pet): void {
    const isFilteredOut = !passes(this.#query, pet);
    this.unconfirmed.add(pet.id);
    this.#change(pet.id, (row) => ({ ...row, pet, isFilteredOut, isRemoved: false }));
  }

  /** Shows a pet as removed by this till, even if the event of it came first. */
  remove(id: bigint): void {
    this.unconfirmed.add(id);
    this.#change(id, (row) => ({ ...row, isRemoved: true, removedBy: undefined }));
  }

  #change(id: bigint, change: (row: Row) => Row): void {
    this.#set(this.list.map((row) => (row.pet.id === id ? change(row) : row)));
  }

  /** Returns the same object for an unchanged row, so that it is not drawn again. */
  #rowOf(pet: Pet, isNew: boolean, isFilteredOut = false, before?: Row): Row {
    const isEqual = before?.isFilteredOut === isFilteredOut && !before.isRemoved && isSame(before.pet, pet);
    return isEqual ? before : { pet, isNew, isFilteredOut, isRemoved: false };
  }

  #set(list: readonly Row[]): void {
    if (this.list.some(({ pet }, index) => list[index]?.pet.id !== pet.id)) this.moves += 1;
    this.list = list;
    this.#onChange();
  }
}

/** True when both have the same values in all fields but the id. */
export function isSame(a: Pet, b: Pet): boolean {
  return petFields.every((field) => a[field] === b[field]);
}
