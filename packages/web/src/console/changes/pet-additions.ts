import {
  createIdempotencyKey,
  isTemporary,
  isUnauthorized,
  type Pet,
  type PetstoreClient,
} from '../../../../client/src/index.ts';
import { withReason } from '../connect.ts';
import { readDraft } from '../draft.ts';
import { keepUnsaved, readUnsaved, type Typed } from '../session.ts';
import type { Choice, Note, Notes } from './notes.ts';
import type { Deed, Undo } from './undo.ts';
import { isolatedName } from './words.ts';

export interface PetAdditionsOptions {
  client: Pick<PetstoreClient, 'createPet'>;
  notes: Notes;
  undo: Undo;
  onAdded: (pet: Pet) => void;
  /** Removes a pet that was added here; undefined if the key may not. */
  takeBack: (pet: Pet) => (() => Promise<void>) | undefined;
  /** Called when the key is no longer accepted, with what became of the pet. */
  onRefused: (outcome: string) => void;
  onChange: () => void;
}

/** A draft that has left the form. */
interface Addition extends Typed {
  /** One key per draft: sending it again after a lost response adds no second pet. */
  idempotencyKey: string;
  /** A note waits for a choice. */
  hasFailed: boolean;
}

const unconfirmed = 'The new pet is not added yet, so it cannot be taken back.';

/** Adds pets to the store, one at a time, while the form is free for the next. All are kept until the store has them. */
export class PetAdditions {
  /** The latest pet added, until the next leaves the form. */
  added: Pet | undefined;
  /** How many drafts came back to the form. */
  returnedCount = 0;
  isFormWanted = false;
  readonly #options: PetAdditionsOptions;
  #list: readonly Addition[] = [];
  readonly #deeds = new Map<Addition, Deed>();
  /** Failed only because the service could not be asked: sent again when it responds. */
  readonly #unsent = new Map<Addition, Note>();
  #isSending = false;
  #isStopped = false;

  constructor(options: PetAdditionsOptions) {
    this.#options = options;
  }

  /** The names on their way, in the order typed. */
  get names(): string[] {
    return this.#list.filter(({ hasFailed }) => !hasFailed).map(({ draft }) => draft.name);
  }

  get unsentCount(): number {
    return this.#list.length;
  }

  /** Goes on with what a reload interrupted. */
  start(): void {
    this.#isStopped = false;
    this.#list = (readUnsaved('additions') as Addition[] | undefined) ?? [];
    for (const addition of this.#list) {
      this.#deeds.set(addition, this.#options.undo.add([unconfirmed]));
      if (addition.hasFailed) this.#tellFailed(addition);
    }
    void this.#send();
  }

  /** Sends again what the service could not be asked for. */
  resend(): void {
    for (const addition of this.#unsent.keys()) addition.hasFailed = false;
    void this.#send();
  }

  /** Sends no more. What was not added is kept. */
  stop(): void {
    this.#isStopped = true;
  }

  add(typed: Typed): void {
    this.added = undefined;
    const addition = { idempotencyKey: createIdempotencyKey(), ...typed, hasFailed: false };
    this.#deeds.set(addition, this.#options.undo.add([unconfirmed]));
    this.#list = [...this.#list, addition];
    this.#keep();
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const next = () => (this.#isStopped ? undefined : this.#list.find(({ hasFailed }) => !hasFailed));
    for (let addition = next(); addition; addition = next()) await this.#sendOne(addition);
    this.#isSending = false;
  }

  async #sendOne(addition: Addition): Promise<void> {
    const { client, onAdded, onRefused, takeBack } = this.#options;
    const { draft, idempotencyKey } = addition;
    try {
      const pet = await client.createPet(readDraft(draft).pet, { idempotencyKey });
      this.added = pet;
      const deed = this.#deeds.get(addition);
      if (deed) deed.undo = takeBack(pet) ?? ['This key may not delete, so ', pet, ' stays.'];
      this.#remove(addition);
      onAdded(pet);
    } catch (error) {
      if (isUnauthorized(error)) {
        // Whoever signs in next decides about all of them.
        for (const one of this.#list) one.hasFailed = true;
        this.#keep();
        if (!this.#isStopped) onRefused('The new pet was not added; what you typed is kept.');
        return;
      }
      // Not kept: a reload ends requests in this way, and is to send them again.
      addition.hasFailed = true;
      if (!this.#isStopped && !(isTemporary(error) && this.#unsent.has(addition)))
        this.#tellFailed(addition, error);
      this.#options.onChange();
    }
  }

  #tellFailed(addition: Addition, error?: unknown): void {
    const again = () => {
      this.#unsent.delete(addition);
      addition.hasFailed = false;
      this.#keep();
      void this.#send();
    };
    this.#forgetNote(addition);
    const choices: Choice[] = [{ label: 'Edit', act: () => this.#edit(addition) }];
    if (error === undefined || isTemporary(error)) choices.unshift({ label: 'Try again', act: again });
    const words = [`${isolatedName(addition.draft.name)} is not added yet.`];
    const note: Note = { choices, ...withReason(words, error) };
    if (isTemporary(error)) this.#unsent.set(addition, note);
    this.#options.notes.add(note);
  }

  /** Brings a draft back to the form, unless there is another one. */
  #edit(addition: Addition): void {
    const { base, draft, idempotencyKey } = addition;
    const typed = (readUnsaved('add') as Typed | undefined)?.draft;
    if (typed && typed.name + typed.categoryId !== '') {
      this.#tellFailed(addition);
      this.#options.notes.say('Add the pet in the form first, or empty its fields.');
      return;
    }
    keepUnsaved('add', { base, draft, idempotencyKey });
    this.returnedCount += 1;
    this.isFormWanted = true;
    this.#options.undo.drop(this.#deeds.get(addition));
    this.#remove(addition);
  }

  #remove(addition: Addition): void {
    this.#list = this.#list.filter((one) => one !== addition);
    this.#deeds.delete(addition);
    this.#forgetNote(addition);
    this.#keep();
  }

  #forgetNote(addition: Addition): void {
    const note = this.#unsent.get(addition);
    if (note) this.#options.notes.drop(note);
    this.#unsent.delete(addition);
  }

  #keep(): void {
    // Whoever signed out has left nothing behind.
    if (!this.#isStopped || readUnsaved('additions'))
      keepUnsaved('additions', this.#list.length > 0 ? this.#list : undefined);
    this.#options.onChange();
  }
}
