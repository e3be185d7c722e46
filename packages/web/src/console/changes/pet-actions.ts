import {
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  type Pet,
  type PetFields,
  type PetstoreClient,
  PetstoreClientError,
  type PetStatus,
} from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import { withReason } from '../connect.ts';
import { isSame, type PetRows } from '../pets/data/pet-rows.ts';
import type { Choice, Notes } from './notes.ts';
import type { PetAdditions } from './pet-additions.ts';
import {
  anywayLabel,
  fieldsOf,
  isolatedNameOf,
  isReturn,
  reversed,
  stateOf,
  tellConflict,
  tellDone,
  tellFailed,
  tellUndone,
  textOf,
  withFields,
  type Wish,
} from './words.ts';

export interface PetActionsOptions {
  client: Pick<PetstoreClient, 'updatePet' | 'deletePet' | 'getPet' | 'searchPetsPage'>;
  rows: PetRows;
  categories: Categories;
  notes: Notes;
  /** Called when the key is no longer accepted, with what became of the change. */
  onRefused: (outcome: string) => void;
  onChange: () => void;
}

/** The changes that a person may make, and the notes about them. Absent if the key may change nothing. */
export interface Changes {
  notes: Notes;
  actions: PetActions;
  additions: PetAdditions;
  categories: Categories;
  /** False if the key may not delete. */
  mayDelete: boolean;
}

/** What a person wants for a pet as seen on the screen. */
interface Intent {
  seen: Pet;
  wish: Wish;
  isUndo?: boolean | undefined;
  /** True when an earlier try may have succeeded although its response was lost. */
  mayBeDone?: boolean;
}

/** How long a sale may wait for its pet to be found. */
const findMs = 2000;
const ok: Choice = { label: 'OK', act() {} };
const leaveIt: Choice = { label: 'Leave it as it is', act() {} };

/** Changes pets in the store. Nothing counts as done before the store says so, and nobody's work is overwritten. */
export class PetActions {
  readonly #options: PetActionsOptions;
  readonly #saving = new Set<bigint>();
  /** How many changes the store has confirmed. */
  doneCount = 0;

  constructor(options: PetActionsOptions) {
    this.#options = options;
  }

  isSaving(id: bigint): boolean {
    return this.#saving.has(id);
  }

  /** Notes show the outcome. A sold pet is returned only after a question. */
  async setStatus(seen: Pet, status: PetStatus | undefined): Promise<void> {
    const { notes } = this.#options;
    const wish = { status: status ?? null };
    if (this.#isBusy(seen)) return;
    if (seen.status === status) return notes.say(seen, ` ${stateOf(seen)} already.`);
    if (isReturn(seen, wish) && !confirm(`Return ${isolatedNameOf(seen)}?`)) return;
    await this.#repeat({ seen, wish });
  }

  /** Sells a pet that is not on the screen yet. */
  async sell(id: bigint): Promise<void> {
    const { client, notes } = this.#options;
    try {
      const [pet] = (await client.searchPetsPage({ id, signal: AbortSignal.timeout(findMs) })).pets;
      if (pet) await this.setStatus(pet, 'sold');
      else notes.say(`No pet has the id ${id}. Nothing was done.`);
    } catch {
      notes.say(`Pet ${id} was not found in time. Nothing was done; try again.`);
    }
  }

  /** Saves what was typed into a form: resolves with the error unless all is saved. Refused values get no note. */
  async save(seen: Pet, fields: PetFields): Promise<unknown> {
    return this.#change({ seen, wish: fields }, fields);
  }

  /** Removes a pet after a question: nobody can undo it. Returns whether it was started; notes show the outcome. */
  remove(seen: Pet): boolean {
    if (this.#isBusy(seen) || !confirm(`Remove ${isolatedNameOf(seen)}?`)) return false;
    void this.#remove({ seen, wish: 'remove' });
    return true;
  }

  /** Undoes one change after another, the latest first. */
  undo(): void {
    const { notes } = this.#options;
    const id = notes.undoable?.petId;
    if (id === undefined || !this.isSaving(id)) notes.undo();
    else notes.say('The last change is still being saved. Nothing else was done; try again.');
  }

  async #change(intent: Intent, fields: PetFields): Promise<unknown> {
    const { client, rows, notes } = this.#options;
    const { seen, isUndo } = intent;
    if (this.#isBusy(seen)) return 'Another change is under way.';
    notes.dropOf(seen.id);
    return this.#whileSaving(seen.id, async () => {
      const finish = (pet: Pet) => {
        const undo = () => void this.#repeat({ seen: pet, wish: reversed(seen, fields), isUndo: true });
        const words = isUndo ? tellUndone(pet, fields) : tellDone(seen, pet, fields);
        this.doneCount += 1;
        rows.replace(pet);
        notes.add({ petId: pet.id, words, ...(!isUndo && { undo }) });
      };
      try {
        const expected = fieldsOf(seen);
        finish(await client.updatePet(seen.id, { ...fields, expected }));
      } catch (error) {
        const pet = isRefusal(error) ? undefined : await this.#settle(intent, error);
        if (!pet) return error;
        finish(pet);
      }
      return undefined;
    });
  }

  /** True while the pet is being saved; a note then says that nothing else was done. */
  #isBusy(seen: Pet): boolean {
    const isBusy = this.isSaving(seen.id);
    if (isBusy) this.#options.notes.say(seen, ' is still being saved. Nothing else was done; try again.');
    return isBusy;
  }

  async #remove(intent: Intent): Promise<void> {
    const { client, rows, notes } = this.#options;
    const { seen } = intent;
    notes.dropOf(seen.id);
    const finish = () => {
      this.doneCount += 1;
      rows.remove(seen.id);
      notes.forget(seen.id);
      notes.add({ petId: seen.id, words: ['Removed ', seen, '.'] });
    };
    await this.#whileSaving(seen.id, async () => {
      try {
        await client.deletePet(seen.id, { ifMatch: await this.#versionOf(seen) });
        finish();
      } catch (error) {
        if (isNotFound(error)) finish();
        else await this.#settle(intent, error);
      }
    });
  }

  async #versionOf(seen: Pet): Promise<string | undefined> {
    const pet = await this.#options.client.getPet(seen.id);
    if (isSame(pet, seen)) return pet.etag;
    throw new PetstoreClientError('precondition_failed', 'The pet has changed.');
  }

  async #repeat(intent: Intent): Promise<void> {
    const { seen, wish } = intent;
    if (wish !== 'remove') {
      const refusal = await this.#change(intent, wish);
      if (isRefusal(refusal)) this.#fail(intent, refusal);
    } else if (!this.isSaving(seen.id)) await this.#remove(intent);
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
  async #settle(intent: Intent, error: unknown): Promise<Pet | undefined> {
    const { client, rows } = this.#options;
    const { seen, wish } = intent;
    const isConflict = isPetstoreError(error, 'precondition_failed');
    if (!isConflict && !isTemporary(error)) return this.#fail(intent, error);
    const repeatable: Intent = { ...intent, mayBeDone: intent.mayBeDone || !isConflict };
    try {
      const pet = await client.getPet(seen.id);
      const isDone = wish !== 'remove' && isSame(pet, withFields(seen, wish));
      if (isDone && repeatable.mayBeDone) return pet;
      rows.replace(pet);
      if (isSame(pet, seen)) this.#fail(repeatable, error);
      else this.#conflict(intent, pet);
    } catch (readError) {
      this.#fail(repeatable, readError, false);
    }
    return undefined;
  }

  /** Somebody else was faster. */
  #conflict(intent: Intent, now: Pet): void {
    const { seen, wish, isUndo } = intent;
    const isMoot = wish !== 'remove' && isSame(now, withFields(now, wish));
    const act = () => void this.#repeat({ seen: now, wish, isUndo });
    const repeat = { label: anywayLabel(now, wish), act };
    const { categories, notes } = this.#options;
    const words = tellConflict(seen, now, categories.names);
    notes.add({ petId: seen.id, words, choices: isMoot ? [ok] : [repeat, leaveIt] });
  }

  #fail(intent: Intent, error: unknown, isKnown = true): undefined {
    const { rows, notes, onRefused } = this.#options;
    const { seen, wish, mayBeDone } = intent;
    if (isUnauthorized(error)) {
      onRefused(textOf(tellFailed(seen, wish, !mayBeDone)));
    } else if (isNotFound(error)) {
      rows.remove(seen.id);
      const words = ['Somebody else has removed ', seen, ' in the meantime.'];
      notes.add({ petId: seen.id, words, choices: [ok] });
    } else {
      const repeat = { label: 'Try again', act: () => void this.#repeat(intent) };
      const choices = [repeat, leaveIt];
      const words = tellFailed(seen, wish, isKnown);
      notes.add({ petId: seen.id, choices, ...withReason(words, error) });
    }
  }
}

function isRefusal(error: unknown): boolean {
  return isPetstoreError(error, 'invalid_pet', 'payload_too_large');
}
