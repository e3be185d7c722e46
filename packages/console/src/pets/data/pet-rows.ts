import type { Pet } from '../../../../client/src/index.ts';
import { petFields } from '../../draft.ts';
import { passes, type StatusFilter } from '../find/query.ts';

/** A place in the list. The pet in it never changes to another one. */
export interface Row {
  readonly pet: Pet;
  /** It was announced before the list was loaded, or added here. */
  readonly isNew: boolean;
  /** It fits the search no longer, but stays in its place. */
  readonly isOut: boolean;
  readonly isRemoved: boolean;
}

/** A stretch of the search, newest first, as one response showed it. */
export interface Slice {
  /** The slice begins below this id; undefined at the newest pet. */
  below: bigint | undefined;
  pets: readonly Pet[];
  /** The slice ends with this id, even if the filter left that pet out. */
  end: bigint | undefined;
  /** True when the search finds nothing below this slice. */
  isLast: boolean;
  /** The clock of the rows when the slice was requested. */
  asOf: number;
}

/** The rows of the list, newest first. Loading by hand makes them anew; all else changes them in place or adds below. */
export class PetRows {
  list: readonly Row[] = [];
  /** Moves with every change. */
  clock = 0;
  /** Moves when rows are no longer where they were. */
  moves = 0;
  readonly #onChange: () => void;
  /** When this console itself changed a pet, by the clock. An older response must not undo that. */
  readonly #changedAt = new Map<bigint, number>();
  /** Pets that are removed here and soon in the store. */
  readonly #hidden = new Set<bigint>();
  #news = new Set<bigint>();
  #isComplete = false;
  #filter: StatusFilter = 'all';
  /** The pet that stands first because somebody asked for its id. */
  #firstId: bigint | undefined;

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

  /** A pet that somebody asked for by its id comes first, whatever the filter. */
  load(pets: readonly Pet[], isLast: boolean, filter: StatusFilter, first?: Pet): void {
    const news = this.#news;
    this.#filter = filter;
    this.#firstId = first?.id;
    this.#news = new Set();
    this.#isComplete = isLast;
    const others = pets.filter(({ id }) => id !== first?.id).map((pet) => this.#rowOf(pet, news.has(pet.id)));
    this.#set(first ? [{ ...this.#rowOf(first, false), isOut: !passes(filter, first) }, ...others] : others);
  }

  /** Puts a pet on top that was added here. */
  add(pet: Pet): void {
    if (this.get(pet.id)) return;
    this.#news.delete(pet.id);
    this.#changedAt.set(pet.id, this.clock + 1);
    this.#set([this.#rowOf(pet, true), ...this.list]);
  }

  append(pets: readonly Pet[], isLast: boolean): void {
    this.#isComplete = isLast;
    const fresh = pets.filter(({ id }) => !this.get(id));
    this.#set([...this.list, ...fresh.map((pet) => this.#rowOf(pet, false))]);
  }

  /** Brings rows up to date in their places and counts the news. Returns the pets that the slice should have, but has not. */
  apply({ below, pets, end: lowest, isLast, asOf }: Slice): Pet[] {
    const found = new Map(pets.map((pet) => [pet.id, pet]));
    const isCovered = (id: bigint) =>
      (below === undefined || id < below) && (isLast || lowest === undefined || id >= lowest);
    for (const id of this.#news) if (isCovered(id)) this.#news.delete(id);
    const end = this.#isComplete ? undefined : this.list.at(-1)?.pet.id;
    for (const { id } of pets) if (!this.get(id) && (end === undefined || id > end)) this.#news.add(id);
    const isOwn = (id: bigint) => (this.#changedAt.get(id) ?? 0) > asOf;
    this.#set(
      this.list.map((row) => {
        const pet = found.get(row.pet.id);
        return pet && !isOwn(pet.id) ? this.#rowOf(pet, row.isNew, row) : row;
      }),
    );
    return this.list
      .filter(
        ({ pet: { id }, isOut, isRemoved }) =>
          id !== this.#firstId && !found.has(id) && isCovered(id) && !isOwn(id) && !isOut && !isRemoved,
      )
      .map(({ pet }) => pet);
  }

  /** Shows a pet as the store has it after a change. */
  replace(pet: Pet, isOut = !passes(this.#filter, pet)): void {
    this.#hidden.delete(pet.id);
    this.#change(pet.id, (row) => ({ ...row, pet, isOut, isRemoved: false }));
  }

  /** Shows a pet as removed: for good, or while the store still has it, until it is shown again. */
  remove(id: bigint, isHidden = false): void {
    this.#hidden[isHidden ? 'add' : 'delete'](id);
    this.#change(id, (row) => ({ ...row, isRemoved: true }));
  }

  show(id: bigint): void {
    this.#hidden.delete(id);
    this.#change(id, (row) => ({ ...row, isRemoved: false }));
  }

  #change(id: bigint, change: (row: Row) => Row): void {
    this.#changedAt.set(id, this.clock + 1);
    this.#set(this.list.map((row) => (row.pet.id === id ? change(row) : row)));
  }

  /** The same object for the same row: what is drawn for it stays valid. */
  #rowOf(pet: Pet, isNew: boolean, before?: Row): Row {
    const isRemoved = this.#hidden.has(pet.id);
    if (before && !before.isOut && before.isRemoved === isRemoved && isSame(before.pet, pet)) return before;
    return { pet, isNew, isOut: false, isRemoved };
  }

  #set(list: readonly Row[]): void {
    if (this.list.some(({ pet }, index) => list[index]?.pet.id !== pet.id)) this.moves += 1;
    this.list = list;
    this.clock += 1;
    this.#onChange();
  }
}

/** True when both have the same values in all fields but the id. */
export function isSame(a: Pet, b: Pet): boolean {
  return petFields.every((field) => a[field] === b[field]);
}
