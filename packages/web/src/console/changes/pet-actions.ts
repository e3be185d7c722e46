import type { Pet, PetFields, PetStatus } from '../../../../client/src/index.ts';
import type { Categories } from '../categories/categories.ts';
import type { PetRows } from '../pets/data/pet-rows.ts';
import { HeldChanges } from './held-changes.ts';
import type { Notes } from './notes.ts';
import type { PetAdditions } from './pet-additions.ts';
import { PetSender, type PetSenderOptions } from './pet-sender.ts';
import type { Undo } from './undo.ts';
import { isReturn, stateOf, tellHeld } from './words.ts';

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

/** What a person does to pets. */
export class PetActions {
  readonly sender: PetSender;
  readonly held: HeldChanges;
  readonly #notes: Notes;
  readonly #rows: PetRows;

  constructor(options: PetSenderOptions) {
    this.#notes = options.notes;
    this.#rows = options.rows;
    this.sender = new PetSender(options);
    this.held = new HeldChanges({ ...options, sender: this.sender });
  }

  /** Notes show the outcome. A return is held for a while. */
  async setStatus(seen: Pet, status: PetStatus | undefined): Promise<void> {
    const wish = { status: status ?? null };
    if (!this.#isFree(seen)) return;
    if (seen.status === status) this.#notes.tell(seen, ` ${stateOf(seen)} already.`);
    else if (isReturn(seen, wish)) this.held.hold({ seen, wish });
    else await this.sender.sendAndTell({ seen, wish });
  }

  /** Saves what was typed into a form: resolves with the error unless all is saved. Refused values get no note. */
  async save(seen: Pet, fields: PetFields): Promise<unknown> {
    return this.#isFree(seen) ? this.sender.send({ seen, wish: fields }) : 'Another change is held.';
  }

  remove(seen: Pet): void {
    if (this.#isFree(seen)) this.held.hold({ seen, wish: 'remove' });
  }

  /** What has become of a pet that somebody was editing. */
  fateOf({ id }: Pet): string {
    const row = this.#rows.get(id);
    return row?.isRemoved ? `was removed by ${row.removedBy ?? 'this till'}` : 'is not saved';
  }

  #isFree(seen: Pet): boolean {
    const wish = this.held.get(seen.id);
    if (wish !== undefined) this.#notes.tell(...tellHeld(seen, wish), ' Undo that first, with the key u.');
    return wish === undefined && !this.sender.isBusy(seen);
  }
}
