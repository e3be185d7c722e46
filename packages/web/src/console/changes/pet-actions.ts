import { isNotFound, type Pet, type PetFields, type PetStatus } from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import { draftOf, petOf, type Draft } from '../draft.ts';
import { isSame } from '../pets/data/pet-rows.ts';
import { keepUnsaved, readUnsaved } from '../session.ts';
import type { Notes } from './notes.ts';
import type { PetAdditions } from './pet-additions.ts';
import { PetSender, type Intent, type PetSenderOptions } from './pet-sender.ts';
import type { Undo } from './undo.ts';
import { isReturn, stateOf, tellHeld, type Wish } from './words.ts';

/** The changes that a person may make, and the notes about them. Absent if the key may change nothing. */
export interface Changes {
  notes: Notes;
  undo: Undo;
  actions: PetActions;
  additions: PetAdditions;
  categories: Categories;
  /** False if the key may not delete. */
  mayDelete: boolean;
}

/** How long a removal or a return is held, so that it can be taken back. */
const holdMs = 10_000;

/** What a person does to pets. Removals and returns are held for a while, and survive a reload. */
export class PetActions {
  readonly sender: PetSender;
  /** The pets about to be returned; another array whenever they are others. */
  returns: readonly bigint[] = [];
  readonly #options: PetSenderOptions;
  readonly #held = new Map<bigint, { intent: Intent; timer: ReturnType<typeof setTimeout> }>();
  #isStopped = false;

  constructor(options: PetSenderOptions) {
    this.#options = options;
    this.sender = new PetSender(options);
  }

  /** What is held for a pet. */
  heldFor(id: bigint): Wish | undefined {
    return this.#held.get(id)?.intent.wish;
  }

  /** Goes on with what a reload interrupted. It was sent then, but nobody knows whether it arrived. */
  start(): void {
    this.#isStopped = false;
    const kept = (readUnsaved('held') ?? []) as { id: string; seen: Draft; wish: Wish }[];
    for (const { id, seen, wish } of kept)
      this.#hold({ seen: petOf(BigInt(id), seen), wish, mayBeDone: true });
  }

  /** Sends nothing more by itself. What is held is kept. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#held.values()) clearTimeout(timer);
  }

  /** Sends what is held: the page is being left. It is kept until the service has responded. */
  sendHeld(): void {
    for (const { intent, timer } of this.#held.values()) {
      clearTimeout(timer);
      void this.sender.sendAndTell(intent).then(() => this.#release(intent.seen));
    }
  }

  /** Notes show the outcome. */
  async setStatus(seen: Pet, status: PetStatus | undefined): Promise<void> {
    const wish = { status: status ?? null };
    if (!this.#isFree(seen)) return;
    if (seen.status === status) this.#options.notes.tell(seen, ` ${stateOf(seen)} already.`);
    else if (isReturn(seen, wish)) this.#hold({ seen, wish });
    else await this.sender.sendAndTell({ seen, wish });
  }

  /** Saves what was typed into a form: resolves with the error unless all is saved. Refused values get no note. */
  async save(seen: Pet, fields: PetFields): Promise<unknown> {
    return this.#isFree(seen) ? this.sender.send({ seen, wish: fields }) : 'Another change is held.';
  }

  remove(seen: Pet): void {
    if (this.#isFree(seen)) this.#hold({ seen, wish: 'remove' });
  }

  /** What has become of a pet that somebody was editing. */
  fateOf({ id }: Pet): string {
    const row = this.#options.rows.get(id);
    return row?.isRemoved ? `was removed by ${row.removedBy ?? 'this till'}` : 'is not saved';
  }

  #isFree(seen: Pet): boolean {
    const wish = this.heldFor(seen.id);
    if (wish !== undefined)
      this.#options.notes.tell(...tellHeld(seen, wish), ' Undo that first, with the key u.');
    return wish === undefined && !this.sender.isBusy(seen);
  }

  #hold(intent: Intent): void {
    const { notes, undo } = this.#options;
    const { seen, wish } = intent;
    const deed = undo.add(async () => {
      this.#release(seen);
      notes.dropOf(seen.id);
      notes.add({
        petId: seen.id,
        words: ['Undone: ', seen, wish === 'remove' ? ' stays.' : ' stays sold.'],
      });
    });
    intent.deed = deed;
    const send = () => {
      this.#release(seen);
      void this.sender.sendAndTell(intent);
    };
    this.#held.set(seen.id, { intent, timer: setTimeout(send, holdMs) });
    this.#keep();
    notes.dropOf(seen.id);
    notes.add({ petId: seen.id, words: tellHeld(seen, wish), undo: () => void undo.take(deed) });
    void this.#examine(intent);
  }

  /** Reads the version to remove: a page that is being left cannot wait for it. */
  async #examine(intent: Intent): Promise<void> {
    const { seen, wish } = intent;
    const isHeld = () => this.#held.get(seen.id)?.intent === intent;
    try {
      const pet = await this.#options.client.getPet(seen.id);
      if (!isHeld()) return;
      if (isSame(pet, seen)) intent.etag = pet.etag;
      else {
        this.#release(seen);
        await this.sender.settle(intent, pet);
      }
    } catch (error) {
      // Another failure is told when it is sent.
      if (!isHeld() || !isNotFound(error) || wish !== 'remove') return;
      this.#release(seen);
      this.sender.finishRemoval(intent);
    }
  }

  #release({ id }: Pet): void {
    clearTimeout(this.#held.get(id)?.timer);
    this.#held.delete(id);
    this.#keep();
  }

  #keep(): void {
    const intents = Array.from(this.#held.values(), ({ intent }) => intent);
    this.returns = intents.flatMap(({ seen, wish }) => (wish === 'remove' ? [] : [seen.id]));
    const kept = intents.map(({ seen, wish }) => ({ id: seen.id.toString(), seen: draftOf(seen), wish }));
    // Whoever signed out has left nothing behind.
    if (!this.#isStopped || readUnsaved('held')) keepUnsaved('held', kept.length > 0 ? kept : undefined);
    this.#options.onChange();
  }
}
