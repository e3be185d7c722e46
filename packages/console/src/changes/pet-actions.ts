import {
  isInvalidPet,
  isNotFound,
  isPetstoreError,
  type Pet,
  type PetFields,
  PetstoreClientError,
} from '../../../client/src/index.ts';
import { isSame } from '../pets/data/pet-collection.ts';
import type { Note } from './notes.ts';
import { Outcomes, type Attempt, type OutcomesOptions } from './outcomes.ts';
import { fieldsOf, reversed } from './wish.ts';
import { tellDone } from './words.ts';

export interface PetActionsOptions extends OutcomesOptions {
  /** Called when saving a pet begins and ends. */
  onChange: () => void;
}

interface Removal {
  attempt: Attempt;
  /** The ETag of the pet as the person saw it, once it is known. */
  etag?: string | undefined;
}

/** Changes pets in the store. Nothing counts as done before the store says so, and nobody's work is overwritten. */
export class PetActions {
  readonly #options: PetActionsOptions;
  readonly #outcomes: Outcomes;
  readonly #saving = new Set<bigint>();

  constructor(options: PetActionsOptions) {
    this.#options = options;
    this.#outcomes = new Outcomes(options, (attempt) => void this.#repeat(attempt));
  }

  isSaving(id: bigint): boolean {
    return this.#saving.has(id);
  }

  /** Notes tell what comes of it. */
  async change(seen: Pet, fields: PetFields): Promise<void> {
    await this.#repeat({ seen, wish: fields, mayBeDone: false });
  }

  /** The same for a form: resolves with the error if the new values are refused. */
  async save(seen: Pet, fields: PetFields): Promise<PetstoreClientError | undefined> {
    return this.#change({ seen, wish: fields, mayBeDone: false }, fields);
  }

  /** Takes the pet out of the list at once, and out of the store when it is too late to undo. */
  remove(seen: Pet): void {
    const { collection, notes } = this.#options;
    const { id } = seen;
    if (this.isSaving(id)) return;
    const removal: Removal = { attempt: { seen, wish: 'remove', mayBeDone: false } };
    const note: Note = {
      petId: id,
      words: tellDone(seen, 'remove'),
      undo: () => collection.show(id),
      onEnd: (isLeaving) => void this.#remove(removal, isLeaving),
    };
    notes.dropOf(id);
    notes.add(note);
    collection.hide(seen);
    void this.#findVersion(removal, note);
  }

  async #change(attempt: Attempt, fields: PetFields): Promise<PetstoreClientError | undefined> {
    const { client, notes } = this.#options;
    const { seen } = attempt;
    if (this.isSaving(seen.id)) return undefined;
    notes.dropOf(seen.id);
    return this.#whileSaving(seen.id, async () => {
      const finish = (pet: Pet) =>
        this.#outcomes.finish(attempt, pet, () => void this.change(pet, reversed(seen, fields)));
      try {
        const expected = fieldsOf(seen);
        finish(await client.updatePet(seen.id, { ...fields, expected }));
      } catch (error) {
        if (isInvalidPet(error) || isPetstoreError(error, 'payload_too_large')) return error;
        const pet = await this.#outcomes.settle(attempt, error);
        if (pet) finish(pet);
      }
      return undefined;
    });
  }

  /** Finds the version of the pet that the person saw while it can still be asked for: a closed tab cannot. */
  async #findVersion(removal: Removal, note: Note): Promise<void> {
    const { client, collection, notes } = this.#options;
    const { seen } = removal.attempt;
    try {
      const { pet, etag } = await client.readPet(seen.id);
      if (isSame(pet, seen)) removal.etag = etag;
      else if (notes.list.includes(note)) {
        notes.drop(note);
        collection.replace(pet);
        this.#outcomes.conflict(removal.attempt, pet);
      }
    } catch {
      // The removal itself will find out and tell.
    }
  }

  async #remove({ attempt, etag }: Removal, isLeaving: boolean): Promise<void> {
    const { client, collection } = this.#options;
    const { seen } = attempt;
    await this.#whileSaving(seen.id, async () => {
      try {
        const ifMatch = etag ?? (isLeaving ? undefined : await this.#versionOf(seen));
        await client.deletePet(seen.id, { ifMatch });
        collection.remove(seen.id);
      } catch (error) {
        if (isNotFound(error)) return collection.remove(seen.id);
        collection.show(seen.id);
        await this.#outcomes.settle(attempt, error);
      }
    });
  }

  async #versionOf(seen: Pet): Promise<string | undefined> {
    const { pet, etag } = await this.#options.client.readPet(seen.id);
    if (isSame(pet, seen)) return etag;
    throw new PetstoreClientError('precondition_failed', 'The pet has changed.');
  }

  async #repeat(attempt: Attempt): Promise<void> {
    const { seen, wish } = attempt;
    if (wish !== 'remove') {
      const refusal = await this.#change(attempt, wish);
      if (refusal) this.#outcomes.fail(attempt, refusal);
    } else if (!this.isSaving(seen.id)) await this.#remove({ attempt }, false);
  }

  async #whileSaving<Value>(id: bigint, work: () => Promise<Value>): Promise<Value> {
    this.#saving.add(id);
    this.#options.onChange();
    try {
      return await work();
    } finally {
      this.#saving.delete(id);
      this.#options.onChange();
    }
  }
}
