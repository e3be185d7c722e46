import {
  createIdempotencyKey,
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  PetstoreClientError,
  type Key,
  type NewPet,
  type Pet,
  type PetstoreClient,
  type PetStatus,
} from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import { tellProblem } from '../connect.ts';
import { petOf, readChanges, readDraft, rebased, type Typed } from '../draft.ts';
import { isSame, type PetRows } from '../pets/data/pet-rows.ts';
import type { PetSync } from '../pets/data/pet-sync.ts';
import { keepTyped, keepUnsaved, readTyped, readUnsaved } from '../session.ts';
import { ok, type Choice, type Note, type Notes } from './notes.ts';
import type { Deed, Undo } from './undo.ts';
import {
  anywayLabel,
  fieldsOf,
  isReturn,
  reversed,
  stateOf,
  subjectOf,
  tellConflict,
  tellDone,
  tellFailed,
  tellHeld,
  tellOthers,
  tellTyped,
  tellUndone,
  textOf,
  withFields,
  type Wanted,
  type Words,
} from './words.ts';

/** The parts of a till that the outbox works with. */
export interface OutboxParts {
  client: PetstoreClient;
  rows: PetRows;
  sync: PetSync;
  categories: Categories;
  notes: Notes;
  undo: Undo;
  /** Unknown until the service has responded. */
  key: Key | undefined;
  mayDelete: boolean;
  /** Shows the form to which a text has returned: that of a pet, or the one for new pets. */
  showForm: (id: bigint | undefined) => void;
  /** Called when the key is no longer accepted, with what became of the change. */
  onRefused: (outcome: string) => void;
  onChange: () => void;
}

/** A change of a pet as the person saw it, or a new pet. */
export type Change = Wanted & {
  /**
   * Held while it can be taken back, unsent until the service responds again, and stuck until the person decides what
   * becomes of it.
   */
  state: 'held' | 'ready' | 'sending' | 'unsent' | 'stuck' | 'done';
  /** What was typed into a form. */
  typed?: Typed | undefined;
  /** True for a change that takes another one back. */
  isUndo?: boolean;
  /** True when an earlier try may have succeeded although its response was lost. */
  mayBeDone?: boolean;
  /** The version to remove, once it is known. */
  etag?: string | undefined;
  /** The pet as the store has it since. */
  pet?: Pet | undefined;
  /** The key that it is sent with. */
  owner?: string | undefined;
  deed?: Deed;
  note?: Note | undefined;
};

/** How long a removal or a return is held. */
const holdMs = 10_000;

/**
 * What the till has yet to send. A reload keeps it, and what the service could not be asked for is sent again by itself.
 * Nothing counts as done before the store says so, and nobody's work is overwritten.
 */
export class Outbox {
  list = (readUnsaved('outbox') ?? []) as readonly Change[];
  /** The latest pet added, until the next leaves the form. */
  added: Pet | undefined;
  /** How many changes the store has confirmed. */
  doneCount = 0;
  readonly #till: OutboxParts;
  #isStopped = true;

  constructor(till: OutboxParts) {
    this.#till = till;
  }

  /** Goes on with what a reload interrupted. It may have been sent, but nobody knows whether it arrived. */
  start(): void {
    this.#isStopped = false;
    for (const change of this.list) {
      const isStuck = change.state === 'stuck';
      if (!isStuck) change.mayBeDone = true;
      // Nobody sends the changes of somebody else unasked. With another key, a repeated create would add a second pet.
      if (isStuck || change.owner !== this.#owner) {
        this.#askAgain(change);
        continue;
      }
      this.#remember(change);
      if (change.state === 'held' && change.seen) this.#hold(change);
      else change.state = 'ready';
    }
    this.#sendReady();
  }

  /** Sends nothing more. What is not done is kept. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Sends again what the service could not be asked for, with what was expected then. */
  resend(): void {
    this.#release('unsent');
  }

  /** Sends what is held: the page is being left. */
  sendHeld(): void {
    this.#release('held');
  }

  /** The change of a pet that is under way, or else the one that is stuck. */
  changeOf(id: bigint): Change | undefined {
    const changes = this.list.filter(({ seen }) => seen?.id === id);
    return changes.find(({ state }) => state !== 'stuck') ?? changes[0];
  }

  /** The new pets under way, in the order typed. */
  get newPets(): readonly NewPet[] {
    return this.list.flatMap((change) => (change.seen || change.note ? [] : [change.wish]));
  }

  addPet(typed: Typed): void {
    const { idempotencyKey = createIdempotencyKey() } = typed;
    this.added = undefined;
    this.#put({ wish: readDraft(typed.draft).pet, idempotencyKey, typed, state: 'ready' });
    this.#sendReady();
  }

  setStatus(seen: Pet, status: PetStatus | undefined): void {
    if (seen.status === status && !this.#whyBusy(seen))
      this.#till.notes.tell(seen, ` ${stateOf(seen)} already.`);
    else this.#change({ seen, wish: { status: status ?? null }, state: 'ready' });
  }

  save(id: bigint, typed: Typed): void {
    const seen = petOf(id, typed.base);
    const wish = readChanges(seen, typed.draft).fields;
    if (Object.keys(wish).length > 0) this.#change({ seen, wish, typed, state: 'ready' });
  }

  remove(seen: Pet): void {
    this.#change({ seen, wish: 'remove', state: 'ready' });
  }

  /** Keeps what was typed for a pet and not saved, until the person decides. */
  leave(id: bigint, typed: Typed): void {
    const change: Change = { seen: petOf(id, typed.base), wish: {}, typed, state: 'stuck' };
    if (tellTyped(typed, this.#till.categories.names) === '') return;
    this.#put(change);
    this.#askAgain(change);
  }

  /** Does nothing but say so while another change of the pet is under way. */
  #change(change: Change & { seen: Pet }): void {
    const { notes } = this.#till;
    const { seen, wish, isUndo } = change;
    const busy = this.#whyBusy(seen);
    if (busy) {
      // The text goes back where it came from.
      if (change.typed) keepTyped(seen.id, change.typed);
      return notes.add({ petId: seen.id, words: busy });
    }
    // The person has decided otherwise. What was typed is not lost by that.
    for (const other of this.list) if (other.seen?.id === seen.id && !other.typed) this.#remove(other);
    if (!isUndo && (wish === 'remove' || isReturn(seen, wish))) change.state = 'held';
    this.#put(change);
    if (change.state === 'held') this.#hold(change);
    this.#sendReady();
  }

  #whyBusy(seen: Pet): Words | undefined {
    const other = this.changeOf(seen.id);
    if (!other || other.state === 'stuck') return undefined;
    if (other.state === 'held') return [...tellHeld(seen, other.wish), ' Undo that first, with the key u.'];
    return [seen, ' is still being saved. Nothing else was done; try again.'];
  }

  #hold(change: Change & { seen: Pet }): void {
    const { notes, undo } = this.#till;
    const { seen, wish, deed } = change;
    notes.dropOf(seen.id);
    notes.add({ petId: seen.id, words: tellHeld(seen, wish), undo: () => deed && undo.take(deed) });
    setTimeout(() => {
      if (change.state === 'held') change.state = 'ready';
      this.#sendReady();
    }, holdMs);
    // A page that is being left cannot wait for the version.
    this.#readEtag(seen).then(
      (etag) => void (change.etag = etag),
      (error: unknown) => {
        if (change.state === 'held' && !isTemporary(error)) void this.#fail(change, error);
      },
    );
  }

  #release(state: 'held' | 'unsent'): void {
    for (const change of this.list) if (change.state === state) change.state = 'ready';
    this.#sendReady();
  }

  #sendReady(): void {
    for (const change of this.#isStopped ? [] : this.list) {
      // New pets get their ids in the order typed.
      const isTurn = change.seen || !this.list.some(({ seen, state }) => !seen && state === 'sending');
      if (change.state === 'ready' && isTurn) void this.#send(change).then(() => this.#sendReady());
    }
    this.#till.onChange();
  }

  async #send(change: Change): Promise<void> {
    const { client } = this.#till;
    change.state = 'sending';
    try {
      if (!change.seen) {
        const { wish, idempotencyKey } = change;
        this.#finish(change, await client.createPet(wish, { idempotencyKey }));
      } else if (change.wish === 'remove') {
        const ifMatch = change.etag ?? (await this.#readEtag(change.seen));
        await client.deletePet(change.seen.id, { ifMatch });
        this.#finish(change);
      } else {
        const expected = fieldsOf(change.seen);
        this.#finish(change, await client.updatePet(change.seen.id, { ...change.wish, expected }));
      }
    } catch (error) {
      await this.#fail(change, error);
    }
  }

  async #readEtag(seen: Pet): Promise<string | undefined> {
    const pet = await this.#till.client.getPet(seen.id);
    if (isSame(pet, seen)) return pet.etag;
    throw new PetstoreClientError('precondition_failed', 'The pet has changed.');
  }

  /** The store has done it. Without a pet, the pet is gone. */
  #finish(change: Change, pet?: Pet): void {
    const { rows, notes, undo, sync } = this.#till;
    const { seen, wish, isUndo, deed } = change;
    this.#remove(change, true);
    Object.assign(change, { state: 'done', pet });
    this.doneCount += 1;
    if (!seen) {
      this.added = pet;
      if (pet) sync.add(pet);
      return;
    }
    let words: Words = ['Removed ', seen, '.'];
    if (pet && wish !== 'remove') {
      rows.replace(pet);
      // What is being typed, or waits for a decision, is no conflict with it.
      const open = readTyped(pet.id);
      if (open) keepTyped(pet.id, rebased(open, pet));
      for (const other of this.list)
        if (other.seen?.id === pet.id && isSame(other.seen, seen)) other.seen = pet;
      words = isUndo ? tellUndone(pet, wish) : tellDone(seen, pet, wish);
    } else rows.remove(seen.id);
    notes.dropOf(seen.id);
    notes.add({ petId: seen.id, words, ...(pet && deed && { undo: () => undo.take(deed) }) });
  }

  /** Takes a change back, or returns why that is not possible. */
  #takeBack(change: Change): Words | undefined {
    const { notes, mayDelete } = this.#till;
    const { seen, wish, pet, state } = change;
    if (state === 'held' && seen) {
      this.#remove(change);
      notes.dropOf(seen.id);
      const words = ['Undone: ', seen, wish === 'remove' ? ' stays.' : ' stays sold.'];
      notes.add({ petId: seen.id, words });
      return undefined;
    }
    if (state === 'stuck') return ['Choose first what becomes of ', subjectOf(change), '.'];
    if (state !== 'done')
      return [subjectOf(change), ' is still being saved, so it cannot be taken back yet.'];
    if (!pet) return [subjectOf(change), ' was removed. That cannot be taken back.'];
    if (!seen && !mayDelete) return ['This key may not delete, so ', pet, ' stays.'];
    const busy = this.#whyBusy(pet);
    if (busy) return busy;
    if (!seen) this.added = undefined;
    const back = seen && wish !== 'remove' ? reversed(seen, wish) : 'remove';
    this.#change({ seen: pet, wish: back, isUndo: true, state: 'ready' });
    return undefined;
  }

  async #fail(change: Change, error: unknown): Promise<void> {
    const { rows, categories, onRefused } = this.#till;
    const { seen, wish, typed } = change;
    // The person has left it as it is.
    if (!this.list.includes(change)) return;
    const isLater = isTemporary(error);
    if (isUnauthorized(error)) {
      // Whoever signs in next decides about all of them.
      for (const one of this.list) one.state = 'stuck';
      if (!this.#isStopped) onRefused(textOf(tellFailed(change)));
    } else if (seen && wish === 'remove' && isNotFound(error)) this.#finish(change);
    else if (seen && isPetstoreError(error, 'precondition_failed')) await this.#examine(change, seen);
    else if (seen && isNotFound(error)) {
      rows.update(seen.id, undefined, false, 'somebody else');
      const text = typed ? ` Your text: ${tellTyped(typed, categories.names)}.` : '';
      this.#ask(change, ['Somebody else has removed ', seen, ` in the meantime.${text}`], [], false);
    } else {
      change.mayBeDone ||= isLater || isPetstoreError(error, 'internal', 'unexpected_response');
      const words = [...tellFailed(change, change.mayBeDone), ` ${tellProblem(error)}`];
      const isRefused = isPetstoreError(error, 'invalid_pet');
      // What is sent again by itself asks once.
      if (!isLater || !change.note) this.#ask(change, words, isRefused ? [] : [this.#again(change)]);
      if (isLater) change.state = 'unsent';
    }
    this.#keep();
  }

  /** Finds out what became of a pet that is no longer as the person saw it. */
  async #examine(change: Change, seen: Pet): Promise<void> {
    const { client, rows, categories, sync, key } = this.#till;
    const { wish, state, etag } = change;
    try {
      const pet = await client.getPet(seen.id);
      if (isSame(pet, seen)) {
        // It was changed, and changed back.
        if (etag === pet.etag) return this.#ask(change, tellFailed(change), [this.#again(change)]);
        change.etag = pet.etag;
        if (state === 'sending') change.state = 'ready';
      } else if (await this.#hasArrived(change, pet)) this.#finish(change, pet);
      else {
        rows.replace(pet);
        const isMoot = wish !== 'remove' && isSame(pet, withFields(pet, wish));
        const now = { seen: pet, etag: pet.etag, mayBeDone: false };
        const words = tellConflict(
          seen,
          pet,
          wish,
          categories.names,
          await sync.findOther(seen.id, key?.name),
        );
        this.#ask(change, words, isMoot ? [] : [this.#again(change, anywayLabel(pet, wish), now)]);
      }
    } catch (error) {
      await this.#fail(change, error);
    }
  }

  /** True if an earlier try has changed the pet, and not another till that wanted the same. */
  async #hasArrived({ seen, wish, mayBeDone }: Change, pet: Pet): Promise<boolean> {
    const { client, key } = this.#till;
    if (!seen || wish === 'remove' || !mayBeDone || !isSame(pet, withFields(seen, wish))) return false;
    if (wish.status !== 'sold' && wish.status !== 'pending') return true;
    const { orders } = await client.listOrders({ petId: pet.id, sort: 'newest', limit: 1 });
    return orders[0]?.createdBy === key?.name;
  }

  /** The choice to send a change again. */
  #again(change: Change, label = 'Try again', changed: Partial<Change> = {}): Choice {
    const act = () => {
      Object.assign(change, changed, { state: 'ready', note: undefined, owner: this.#owner });
      this.#remember(change);
      this.#sendReady();
    };
    return { label, act };
  }

  /** Leaves what becomes of a change to the person. What was typed goes back to its form on request. */
  #ask(change: Change, words: Words, choices: readonly Choice[], mayEdit = change.typed !== undefined): void {
    if (this.#isStopped) return;
    this.#dropNote(change);
    change.state = 'stuck';
    const edit: Choice = { label: 'Edit', act: () => this.#edit(change) };
    const others = mayEdit ? [...choices, edit] : choices;
    const label = others.length === 0 ? ok.label : change.seen ? 'Leave it as it is' : 'Do not add it';
    const leave: Choice = { label, act: () => this.#remove(change) };
    change.note = { words, choices: [...others, leave], ...(change.seen && { petId: change.seen.id }) };
    this.#till.notes.add(change.note);
  }

  /** Asks after a reload, or when a form was left. */
  #askAgain(change: Change): void {
    const { rows, categories } = this.#till;
    const { seen, typed, wish } = change;
    const again = Object.keys(wish).length > 0 ? [this.#again(change)] : [];
    const isOthers = change.mayBeDone && change.owner !== this.#owner;
    if (!seen || !typed) return this.#ask(change, isOthers ? tellOthers(change) : tellFailed(change), again);
    const row = rows.get(seen.id);
    const fate = row?.isRemoved ? `was removed by ${row.removedBy ?? 'this till'}` : 'is not saved';
    const words = [seen, ` ${fate}; your text: ${tellTyped(typed, categories.names)}.`];
    this.#ask(change, words, row?.isRemoved ? [] : again, !row?.isRemoved);
  }

  /** Brings what was typed back to its form, unless another text is there. */
  #edit(change: Change): void {
    const { rows, notes, showForm } = this.#till;
    const { seen, typed, note, idempotencyKey } = change;
    if (!typed) return;
    const other = readTyped(seen?.id)?.draft;
    if (other && other.name + other.categoryId !== '') {
      if (note) notes.add(note);
      return notes.say('There is another text in the form. Save that first, or clear it.');
    }
    const pet = seen && (rows.get(seen.id)?.pet ?? seen);
    keepTyped(seen?.id, pet ? rebased(typed, pet) : { ...typed, idempotencyKey });
    this.#remove(change);
    showForm(seen?.id);
  }

  get #owner(): string | undefined {
    const { key } = this.#till;
    return key && JSON.stringify([key.name, key.createdAt]);
  }

  #put(change: Change): void {
    change.owner = this.#owner;
    if (change.state !== 'stuck') this.#remember(change);
    this.list = [...this.list, change];
    this.#keep();
  }

  #remember(change: Change): void {
    if (!change.isUndo) change.deed ??= this.#till.undo.add(() => this.#takeBack(change));
  }

  /** Takes a change out of the outbox; what is not done cannot be undone either. */
  #remove(change: Change, isDone = false): void {
    this.list = this.list.filter((other) => other !== change);
    if (!isDone) this.#till.undo.drop(change.deed);
    this.#dropNote(change);
    this.#keep();
  }

  #dropNote(change: Change): void {
    if (change.note) this.#till.notes.drop(change.note);
    change.note = undefined;
  }

  #keep(): void {
    // Whoever signed out has left nothing behind, and whoever signed in next has an outbox of their own.
    if (this.#isStopped) return;
    const kept = this.list.map((change) => ({ ...change, note: undefined }));
    keepUnsaved('outbox', kept.length > 0 ? kept : undefined);
    this.#till.onChange();
  }
}
