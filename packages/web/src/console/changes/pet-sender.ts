import {
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  type Pet,
  type PetstoreClient,
  PetstoreClientError,
} from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import { withReason } from '../connect.ts';
import { isSame, type PetRows } from '../pets/data/pet-rows.ts';
import { ok, type Choice, type Note, type Notes } from './notes.ts';
import { stillSaving, type Deed, type Undo } from './undo.ts';
import {
  anywayLabel,
  fieldsOf,
  reversed,
  tellConflict,
  tellDone,
  tellFailed,
  tellUndone,
  textOf,
  withFields,
  type Wish,
} from './words.ts';

export interface PetSenderOptions {
  client: Pick<PetstoreClient, 'updatePet' | 'deletePet' | 'getPet'>;
  rows: PetRows;
  categories: Categories;
  notes: Notes;
  undo: Undo;
  /** The key that changed a pet last, unless it is this till's own. */
  findOther: (id: bigint) => Promise<string | undefined>;
  /** Called when the key is no longer accepted, with what became of the change. */
  onRefused: (outcome: string) => void;
  onChange: () => void;
}

/** What a person wants for a pet as seen on the screen. */
export interface Intent {
  seen: Pet;
  wish: Wish;
  /** True for a change that takes another one back. */
  isUndo?: boolean;
  /** True when an earlier try may have succeeded although its response was lost. */
  mayBeDone?: boolean;
  /** The version to remove, once it is known. */
  etag?: string | undefined;
  deed?: Deed;
}

/** Sends changes of pets. Nothing counts as done before the store says so, and nobody's work is overwritten. */
export class PetSender {
  readonly #options: PetSenderOptions;
  readonly #saving = new Set<bigint>();
  /** What the service could not be asked for. It is sent again when the service responds. */
  readonly #unsent = new Map<bigint, Intent>();
  /** How many changes the store has confirmed. */
  doneCount = 0;

  constructor(options: PetSenderOptions) {
    this.#options = options;
  }

  get unsentCount(): number {
    return this.#unsent.size;
  }

  isSaving(id: bigint): boolean {
    return this.#saving.has(id);
  }

  /** True while the pet is being saved; a note then says that nothing else was done. */
  isBusy(seen: Pet): boolean {
    const isBusy = this.isSaving(seen.id);
    if (isBusy) this.#options.notes.tell(seen, ' is still being saved. Nothing else was done; try again.');
    return isBusy;
  }

  /** Notes show the outcome. Resolves with the error unless all is saved; a form shows why values are refused. */
  async send(intent: Intent): Promise<unknown> {
    if (this.isBusy(intent.seen)) return 'Another change is under way.';
    this.#forget(intent);
    return this.#try(intent);
  }

  /** As `send`, and a note shows refused values, too. */
  async sendAndTell(intent: Intent): Promise<void> {
    const error = await this.send(intent);
    if (isRefusal(error)) this.#fail(intent, error);
  }

  /** Sends again what the service could not be asked for, with what was expected then. */
  resend(): void {
    for (const [id, intent] of this.#unsent) if (!this.isSaving(id)) void this.#try(intent);
  }

  /** Tells what became of a pet that is no longer as the person saw it. */
  async settle(intent: Intent, pet: Pet): Promise<void> {
    const { rows } = this.#options;
    const { seen, wish, mayBeDone } = intent;
    if (mayBeDone && wish !== 'remove' && isSame(pet, withFields(seen, wish)))
      return this.#finish(intent, pet);
    rows.replace(pet);
    await this.#conflict(intent, pet);
  }

  /** The pet is gone, which is what the person wanted. */
  finishRemoval(intent: Intent): void {
    const { rows, notes } = this.#options;
    const { seen, deed } = intent;
    this.doneCount += 1;
    this.#forget(intent);
    rows.remove(seen.id);
    if (deed) deed.undo = [seen, ' was removed. That cannot be taken back.'];
    notes.add({ petId: seen.id, words: ['Removed ', seen, '.'] });
  }

  async #try(intent: Intent): Promise<unknown> {
    const { client, undo } = this.#options;
    const { seen, wish, isUndo, etag } = intent;
    if (!isUndo) intent.deed ??= undo.add([]);
    if (intent.deed) intent.deed.undo = [stillSaving];
    this.#saving.add(seen.id);
    this.#options.onChange();
    try {
      if (wish === 'remove') {
        await client.deletePet(seen.id, { ifMatch: etag ?? (await this.#versionOf(intent)) });
        this.finishRemoval(intent);
      } else {
        const expected = fieldsOf(seen);
        this.#finish(intent, await client.updatePet(seen.id, { ...wish, expected }));
      }
      return undefined;
    } catch (error) {
      if (isRefusal(error)) undo.drop(intent.deed);
      else if (await this.#examine(intent, error)) return undefined;
      return error;
    } finally {
      this.#saving.delete(seen.id);
      this.#options.onChange();
    }
  }

  async #versionOf({ seen }: Intent): Promise<string | undefined> {
    const pet = await this.#options.client.getPet(seen.id);
    if (isSame(pet, seen)) return pet.etag;
    throw new PetstoreClientError('precondition_failed', 'The pet has changed.');
  }

  #finish(intent: Intent, pet: Pet): void {
    const { rows, notes, undo } = this.#options;
    const { seen, wish, isUndo, deed } = intent;
    if (wish === 'remove') return;
    this.doneCount += 1;
    this.#forget(intent);
    rows.replace(pet);
    if (deed) deed.undo = () => this.sendAndTell({ seen: pet, wish: reversed(seen, wish), isUndo: true });
    const words = isUndo ? tellUndone(pet, wish) : tellDone(seen, pet, wish);
    notes.add({ petId: pet.id, words, ...(deed && { undo: () => void undo.take(deed) }) });
  }

  /** After a failure, only the store knows what became of the pet. Resolves with true if all is well after all. */
  async #examine(intent: Intent, error: unknown): Promise<boolean> {
    const { seen, wish } = intent;
    if (wish === 'remove' && isNotFound(error)) {
      this.finishRemoval(intent);
      return true;
    }
    const isConflict = isPetstoreError(error, 'precondition_failed');
    if (!isConflict && !isTemporary(error)) return this.#fail(intent, error);
    if (!isConflict) intent.mayBeDone = true;
    try {
      const pet = await this.#options.client.getPet(seen.id);
      if (isSame(pet, seen)) return this.#fail(intent, error);
      const { doneCount } = this;
      await this.settle(intent, pet);
      return this.doneCount > doneCount;
    } catch (readError) {
      if (wish !== 'remove' || !isNotFound(readError)) return this.#fail(intent, readError, false);
      this.finishRemoval(intent);
      return true;
    }
  }

  /** Somebody else was faster. */
  async #conflict(intent: Intent, now: Pet): Promise<void> {
    const { categories, findOther } = this.#options;
    const { seen, wish, isUndo, deed } = intent;
    const isMoot = wish !== 'remove' && isSame(now, withFields(now, wish));
    const again: Intent = { seen: now, wish, ...(isUndo && { isUndo }), ...(deed && { deed }) };
    const repeat = { label: anywayLabel(now, wish), act: () => void this.sendAndTell(again) };
    const words = tellConflict(seen, now, wish, categories.names, await findOther(seen.id));
    this.#ask(intent, { words, choices: isMoot ? [] : [repeat] });
  }

  #fail(intent: Intent, error: unknown, isKnown = true): false {
    const { rows, notes, onRefused } = this.#options;
    const { seen, wish, mayBeDone } = intent;
    if (isUnauthorized(error)) {
      onRefused(textOf(tellFailed(seen, wish, !mayBeDone)));
    } else if (isNotFound(error)) {
      rows.remove(seen.id);
      this.#ask(intent, { words: ['Somebody else has removed ', seen, ' in the meantime.'], choices: [] });
    } else {
      // Asked already, unless the person has just tried again.
      const isAsked = this.#unsent.get(seen.id) === intent && notes.hasProblem(seen.id);
      const repeat = { label: 'Try again', act: () => void this.sendAndTell(intent) };
      const note = { choices: [repeat], ...withReason(tellFailed(seen, wish, isKnown), error) };
      if (isAsked) this.#wait(intent);
      else this.#ask(intent, note);
      if (isTemporary(error)) this.#unsent.set(seen.id, intent);
    }
    return false;
  }

  /** Leaves what becomes of the wish to the person. */
  #ask(intent: Intent, { choices = [], ...note }: Omit<Note, 'petId'>): void {
    const { notes, undo } = this.#options;
    const { seen, deed } = intent;
    this.#forget(intent);
    this.#wait(intent);
    const leave: Choice = {
      label: choices.length > 0 ? 'Leave it as it is' : ok.label,
      act: () => {
        this.#unsent.delete(seen.id);
        undo.drop(deed);
      },
    };
    notes.add({ ...note, petId: seen.id, isUnsaved: true, choices: [...choices, leave] });
  }

  #wait({ seen, deed }: Intent): void {
    if (deed) deed.undo = ['Choose first what becomes of ', seen, '.'];
  }

  #forget({ seen }: Intent): void {
    this.#unsent.delete(seen.id);
    this.#options.notes.dropOf(seen.id);
  }
}

export function isRefusal(error: unknown): boolean {
  return isPetstoreError(error, 'invalid_pet', 'payload_too_large');
}
