import { isNotFound, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import { draftOf, petOf, type Draft } from '../draft.ts';
import { isSame } from '../pets/data/pet-rows.ts';
import { keepUnsaved, readUnsaved } from '../session.ts';
import type { Notes } from './notes.ts';
import type { Intent, PetSender } from './pet-sender.ts';
import type { Undo } from './undo.ts';
import { tellHeld, type Wish } from './words.ts';

/** How long a removal or a return can be taken back before it is sent. */
const holdMs = 10_000;

export interface HeldChangesOptions {
  client: Pick<PetstoreClient, 'getPet'>;
  sender: PetSender;
  notes: Notes;
  undo: Undo;
  onChange: () => void;
}

interface Held {
  intent: Intent;
  timer: ReturnType<typeof setTimeout>;
}

/** Removals and returns that are not sent yet. They survive a reload. */
export class HeldChanges {
  readonly #options: HeldChangesOptions;
  readonly #list = new Map<bigint, Held>();
  #isStopped = false;
  /** The pets about to be returned; another array whenever they are others. */
  returns: readonly bigint[] = [];

  constructor(options: HeldChangesOptions) {
    this.#options = options;
  }

  /** What is held for a pet. */
  get(id: bigint): Wish | undefined {
    return this.#list.get(id)?.intent.wish;
  }

  /** Goes on with what a reload interrupted. It was sent then, but nobody knows whether it arrived. */
  start(): void {
    this.#isStopped = false;
    const kept = (readUnsaved('held') ?? []) as { id: string; seen: Draft; wish: Wish }[];
    for (const { id, seen, wish } of kept)
      this.hold({ seen: petOf(BigInt(id), seen), wish, mayBeDone: true });
  }

  /** Sends nothing more by itself. What is held is kept. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#list.values()) clearTimeout(timer);
  }

  hold(intent: Intent): void {
    const { notes, undo } = this.#options;
    const { seen, wish } = intent;
    const deed = undo.add(async () => this.#takeBack(intent));
    intent.deed = deed;
    const timer = setTimeout(() => this.#send(intent), holdMs);
    this.#list.set(seen.id, { intent, timer });
    this.#keep();
    notes.dropOf(seen.id);
    notes.add({ petId: seen.id, words: tellHeld(seen, wish), undo: () => void undo.take(deed) });
    void this.#examine(intent);
  }

  /** For a page that is being left. */
  sendAll(): void {
    for (const { intent, timer } of this.#list.values()) {
      clearTimeout(timer);
      // Kept until the service has responded.
      void this.#options.sender.sendAndTell(intent).then(() => this.#release(intent.seen));
    }
  }

  /** Reads the version to remove: a page that is being left cannot wait for it. */
  async #examine(intent: Intent): Promise<void> {
    const { client, sender } = this.#options;
    const { seen, wish } = intent;
    const isHeld = () => this.#list.get(seen.id)?.intent === intent;
    try {
      const pet = await client.getPet(seen.id);
      if (!isHeld()) return;
      if (isSame(pet, seen)) intent.etag = pet.etag;
      else {
        this.#release(seen);
        await sender.settle(intent, pet);
      }
    } catch (error) {
      if (!isHeld() || !isNotFound(error) || wish !== 'remove') return;
      this.#release(seen);
      sender.finishRemoval(intent);
    }
  }

  #send(intent: Intent): void {
    this.#release(intent.seen);
    void this.#options.sender.sendAndTell(intent);
  }

  #takeBack({ seen, wish }: Intent): void {
    const { notes } = this.#options;
    this.#release(seen);
    notes.dropOf(seen.id);
    notes.add({ petId: seen.id, words: ['Undone: ', seen, wish === 'remove' ? ' stays.' : ' stays sold.'] });
  }

  #release({ id }: Pet): void {
    clearTimeout(this.#list.get(id)?.timer);
    this.#list.delete(id);
    this.#keep();
  }

  #keep(): void {
    const kept = Array.from(this.#list.values(), ({ intent: { seen, wish } }) => {
      return { id: seen.id.toString(), seen: draftOf(seen), wish };
    });
    this.returns = Array.from(this.#list).flatMap(([id, { intent }]) =>
      intent.wish === 'remove' ? [] : [id],
    );
    // Whoever signed out has left nothing behind.
    if (!this.#isStopped || readUnsaved('held')) keepUnsaved('held', kept.length > 0 ? kept : undefined);
    this.#options.onChange();
  }
}
