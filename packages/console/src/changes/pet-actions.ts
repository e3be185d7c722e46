import {
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  type Pet,
  type PetFields,
  PetstoreClientError,
  type PetStatus,
} from '../../../client/src/index.ts';
import { tellProblem, type ConsoleClient } from '../connect.ts';
import { isSame, type PetRows } from '../pets/data/pet-rows.ts';
import type { Choice, Note, Notes, Words } from './notes.ts';
import { anywayLabel, fieldsOf, reversed, tellConflict, tellDone, withFields, type Wish } from './words.ts';

export interface PetActionsOptions {
  client: Pick<ConsoleClient, 'updatePet' | 'deletePet' | 'readPet'>;
  rows: PetRows;
  notes: Notes;
  onRefused: () => void;
  onChange: () => void;
}

/** What may be changed, and what is told about it. Where there is none, the key may change nothing. */
export interface Changes {
  notes: Notes;
  actions: PetActions;
  count: number;
}

/** An attempt to fulfil a wish for a pet as a person saw it. */
interface Attempt {
  seen: Pet;
  wish: Wish;
  /** True when an earlier attempt may have succeeded although its response was lost. */
  mayBeDone?: boolean;
  /** Of the pet as the person saw it, once it is known. */
  etag?: string | undefined;
}

const ok: Choice = { label: 'OK', act() {} };
const leaveIt: Choice = { label: 'Leave it as it is', act() {} };

/** Changes pets in the store. Nothing counts as done before the store says so, and nobody's work is overwritten. */
export class PetActions {
  readonly #options: PetActionsOptions;
  readonly #saving = new Set<bigint>();

  constructor(options: PetActionsOptions) {
    this.#options = options;
  }

  isSaving(id: bigint): boolean {
    return this.#saving.has(id);
  }

  /** Notes tell what comes of it. */
  async change(seen: Pet, fields: PetFields): Promise<void> {
    await this.#repeat({ seen, wish: fields });
  }

  async setStatus(seen: Pet, status: PetStatus | undefined): Promise<void> {
    if (seen.status !== status) await this.change(seen, { status: status ?? null });
  }

  /** The same for a form: resolves with the error unless all is saved. Refused values are not told in a note. */
  async save(seen: Pet, fields: PetFields): Promise<unknown> {
    return this.#change({ seen, wish: fields }, fields);
  }

  /** Shows the pet as removed at once, and removes it from the store when it is too late to undo. */
  remove(seen: Pet): void {
    const { rows, notes } = this.#options;
    const { id } = seen;
    if (this.isSaving(id)) return;
    const attempt: Attempt = { seen, wish: 'remove' };
    const note: Note = {
      petId: id,
      words: tellDone(seen, 'remove'),
      undo: () => rows.show(id),
      onEnd: (isLeaving) => void this.#remove(attempt, isLeaving),
    };
    notes.dropOf(id);
    notes.add(note);
    rows.remove(id, true);
    void this.#findVersion(attempt, note);
  }

  async #change(attempt: Attempt, fields: PetFields): Promise<unknown> {
    const { client, rows, notes } = this.#options;
    const { seen } = attempt;
    if (this.isSaving(seen.id)) return 'Another change is under way.';
    notes.dropOf(seen.id);
    return this.#whileSaving(seen.id, async () => {
      const finish = (pet: Pet) => {
        const undo = () => void this.change(pet, reversed(seen, fields));
        rows.replace(pet);
        notes.add({ petId: pet.id, words: tellDone(pet, fields), undo });
      };
      try {
        const expected = fieldsOf(seen);
        finish(await client.updatePet(seen.id, { ...fields, expected }));
      } catch (error) {
        const pet = isRefusal(error) ? undefined : await this.#settle(attempt, error);
        if (!pet) return error;
        finish(pet);
      }
      return undefined;
    });
  }

  /** Finds the version of the pet that the person saw while it can still be asked for: a closed tab cannot. */
  async #findVersion(attempt: Attempt, note: Note): Promise<void> {
    const { client, rows, notes } = this.#options;
    const { seen } = attempt;
    try {
      const { pet, etag } = await client.readPet(seen.id);
      if (isSame(pet, seen)) attempt.etag = etag;
      else if (notes.list.includes(note)) {
        notes.drop(note);
        rows.replace(pet);
        this.#conflict(attempt, pet);
      }
    } catch {
      // The removal itself will find out and tell.
    }
  }

  async #remove(attempt: Attempt, isLeaving: boolean): Promise<void> {
    const { client, rows } = this.#options;
    const { seen, etag } = attempt;
    await this.#whileSaving(seen.id, async () => {
      try {
        const ifMatch = etag ?? (isLeaving ? undefined : await this.#versionOf(seen));
        await client.deletePet(seen.id, { ifMatch });
        rows.remove(seen.id);
      } catch (error) {
        if (isNotFound(error)) return rows.remove(seen.id);
        rows.show(seen.id);
        await this.#settle(attempt, error);
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
      if (isRefusal(refusal)) this.#fail(attempt, refusal);
    } else if (!this.isSaving(seen.id)) await this.#remove(attempt, false);
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

  /** After a failure, only the store knows what became of the pet. Resolves with the pet if all is well after all. */
  async #settle(attempt: Attempt, error: unknown): Promise<Pet | undefined> {
    const { client, rows } = this.#options;
    const { seen, wish } = attempt;
    const isConflict = isPetstoreError(error, 'precondition_failed');
    if (!isConflict && !isTemporary(error)) return this.#fail(attempt, error);
    const repeatable: Attempt = { ...attempt, mayBeDone: attempt.mayBeDone || !isConflict };
    try {
      const { pet } = await client.readPet(seen.id);
      const isDone = wish !== 'remove' && isSame(pet, withFields(seen, wish));
      if (isDone && repeatable.mayBeDone) return pet;
      rows.replace(pet);
      if (isSame(pet, seen)) this.#fail(repeatable, error);
      else this.#conflict(attempt, pet);
    } catch (readError) {
      this.#fail(repeatable, readError);
    }
    return undefined;
  }

  /** Somebody else was faster. */
  #conflict({ seen, wish }: Attempt, now: Pet): void {
    const isMoot = wish !== 'remove' && isSame(now, withFields(now, wish));
    const repeat = { label: anywayLabel(wish), act: () => void this.#repeat({ seen: now, wish }) };
    this.#tell(seen, tellConflict(seen, now), isMoot ? [ok] : [repeat, leaveIt]);
  }

  #fail(attempt: Attempt, error: unknown): undefined {
    const { rows, onRefused } = this.#options;
    const { seen, wish } = attempt;
    if (isUnauthorized(error)) {
      onRefused();
    } else if (isNotFound(error)) {
      rows.remove(seen.id);
      this.#tell(seen, ['Somebody else has removed ', seen, ' in the meantime.'], [ok]);
    } else {
      const repeat = { label: 'Try again', act: () => void this.#repeat(attempt) };
      const failed = wish === 'remove' ? 'removed' : 'changed';
      this.#tell(seen, [seen, ` was not ${failed}. ${tellProblem(error)}`], [repeat, leaveIt]);
    }
  }

  #tell({ id }: Pet, words: Words, choices: Choice[]): void {
    this.#options.notes.add({ petId: id, words, choices });
  }
}

function isRefusal(error: unknown): boolean {
  return isPetstoreError(error, 'invalid_pet', 'payload_too_large');
}
