import type { Pet, PetStatus } from '../../../../client/src/index.ts';
import { petFields } from '../../draft.ts';

/** A status to count by; `none` stands for a pet without one. */
export type StatusKey = PetStatus | 'none';

export type StatusCounts = Record<StatusKey, number>;

/** A slice of the store's list, as one response showed it. */
export interface Slice {
  /** The slice begins behind this id; undefined for the first page. */
  after: bigint | undefined;
  /** In order of id. */
  pets: Pet[];
  /** True when the store has no pet behind this slice. */
  isLast: boolean;
  /** The clock of the collection when the slice was requested. */
  asOf: number;
}

/** The pets that the console knows, in order of id. It has no idea of requests or of the screen. */
export class PetCollection {
  readonly #pets: Pet[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #counts: StatusCounts = { available: 0, pending: 0, sold: 0, none: 0 };
  /** When this console itself changed a pet, by the clock. An older response must not undo that. */
  readonly #changedAt = new Map<bigint, number>();
  readonly #newIds = new Map<bigint, number>();
  /** The latest version of each hidden pet. */
  readonly #hidden = new Map<bigint, Pet>();
  #clock = 0;

  /** The live array, in order of id. It changes in place: compare `clock`, not the array. */
  get pets(): readonly Pet[] {
    return this.#pets;
  }

  get counts(): Readonly<StatusCounts> {
    return this.#counts;
  }

  /** Moves with every change. */
  get clock(): number {
    return this.#clock;
  }

  get(id: bigint): Pet | undefined {
    const pet = this.#pets[this.#indexAfter(id) - 1];
    return pet?.id === id ? pet : undefined;
  }

  /** Adds a pet that the store has just accepted, or replaces the one with its id. */
  add(pet: Pet): void {
    this.#markNew(pet.id);
    this.replace(pet);
  }

  /** Shows a pet as the store has it after a change. */
  replace(pet: Pet): void {
    this.#hidden.delete(pet.id);
    this.#put(pet.id, [pet]);
  }

  remove(id: bigint): void {
    this.#hidden.delete(id);
    this.#put(id, []);
  }

  /** Takes a pet that the store still has out of the list, until it is shown again or removed. */
  hide(pet: Pet): void {
    this.#put(pet.id, []);
    this.#hidden.set(pet.id, pet);
  }

  /** Shows a hidden pet as the store last had it. */
  show(id: bigint): void {
    const pet = this.#hidden.get(id);
    if (pet) this.replace(pet);
  }

  /** True for a pet that appeared lately, here or elsewhere. */
  isNew(id: bigint): boolean {
    return this.#newIds.has(id);
  }

  /** Ends the newness of pets that appeared before this time. */
  settle(beforeMs: number): void {
    const settled = [...this.#newIds].filter(([, appearedMs]) => appearedMs < beforeMs);
    for (const [id] of settled) this.#newIds.delete(id);
    if (settled.length > 0) this.#tell();
  }

  /** Makes the range of a slice equal to it. `isNews` marks the pets that were not known as new. */
  apply({ after, pets, isLast, asOf }: Slice, isNews: boolean): void {
    const start = after === undefined ? 0 : this.#indexAfter(after);
    const end = isLast ? this.#pets.length : this.#indexAfter(pets.at(-1)?.id ?? after ?? 0n);
    const before = new Map(this.#pets.slice(start, end).map((pet) => [pet.id, pet]));
    const isOwn = (id: bigint) => (this.#changedAt.get(id) ?? 0) > asOf;

    const merged = new Map<bigint, Pet>();
    for (const pet of pets) {
      if (this.#hidden.has(pet.id)) {
        this.#hidden.set(pet.id, pet);
        continue;
      }
      const known = before.get(pet.id);
      // The same object for the same pet: what is remembered or drawn for it stays valid.
      if (!isOwn(pet.id)) merged.set(pet.id, known && isSame(known, pet) ? known : pet);
    }
    for (const pet of before.values()) if (isOwn(pet.id)) merged.set(pet.id, pet);

    const result = [...merged.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (result.length === before.size && result.every((pet) => before.get(pet.id) === pet)) return;
    if (isNews) for (const { id } of result) if (!before.has(id)) this.#markNew(id);
    this.#splice(start, end - start, result);
    this.#tell();
  }

  /** Calls the listener after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts this in the place of the pet with this id. */
  #put(id: bigint, pets: Pet[]): void {
    const replaced = this.get(id) ? 1 : 0;
    this.#splice(this.#indexAfter(id) - replaced, replaced, pets);
    this.#changedAt.set(id, this.#clock + 1);
    this.#tell();
  }

  #splice(start: number, removed: number, added: Pet[]): void {
    for (const pet of this.#pets.splice(start, removed, ...added)) this.#counts[statusKeyOf(pet)] -= 1;
    for (const pet of added) this.#counts[statusKeyOf(pet)] += 1;
  }

  #markNew(id: bigint): void {
    this.#newIds.set(id, Date.now());
  }

  #tell(): void {
    this.#clock += 1;
    for (const listener of this.#listeners) listener();
  }

  /** The index of the first pet behind this id. */
  #indexAfter(id: bigint): number {
    let [low, high] = [0, this.#pets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const pet = this.#pets[middle];
      if (pet && pet.id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function statusKeyOf({ status }: Pet): StatusKey {
  return status ?? 'none';
}

/** True when both have the same values in all fields but the id. */
export function isSame(a: Pet, b: Pet): boolean {
  return petFields.every((field) => a[field] === b[field]);
}
