import { keepTyped, keepUnsaved, readTyped, readUnsaved } from '../../session.ts';
import { numberOf } from '../find/query.ts';
import type { Typed } from '../../draft.ts';
import type { PetRows, Row } from './pet-rows.ts';
import type { PetSync } from './pet-sync.ts';

interface PetInHandParts {
  rows: PetRows;
  sync: PetSync;
  notes: Record<'tell' | 'say', (text: string) => void>;
  undo: Record<'add' | 'drop', (deed: () => undefined) => unknown>;
  /** Keeps a text that was left. */
  outbox: { leave: (id: bigint, typed: Typed) => void };
  onChange: () => void;
}

/** The one pet that keys and buttons act on, however it was chosen. A reload keeps it. */
export class PetInHand {
  id: bigint | undefined;
  details: 'closed' | 'open' | 'editing' = 'closed';
  /** True until its row has the focus. Without a pet, the first row that arrives is to have it. */
  wantsFocus = false;
  /** False while a search that was chosen later may not show it. */
  isSure = true;
  /** True if the till chose it: it is the first of a search. */
  isFirst = false;
  readonly #till: PetInHandParts;
  #finding: Promise<Row | undefined> | undefined;

  constructor(till: PetInHandParts) {
    this.#till = till;
    const kept = readUnsaved('hand') as { id: bigint; details: PetInHand['details'] } | undefined;
    if (!kept) return;
    this.id = kept.id;
    this.details = kept.details;
    this.wantsFocus = kept.details === 'closed';
  }

  get row(): Row | undefined {
    return this.id === undefined ? undefined : this.#till.rows.get(this.id);
  }

  /** Takes a pet instead of the one before, whose details close. */
  take(id: bigint, isFirst = false): void {
    if (this.id === id && this.isSure) return;
    this.isFirst = isFirst;
    this.#set(id, this.id === id ? this.details : 'closed');
  }

  /** Takes the pet of a label. */
  scan(digits: string): void {
    const id = numberOf(digits);
    if (id !== undefined) return this.reach(id);
    this.end();
    this.#till.notes.tell(`No pet has the id ${digits}. Nothing was done.`);
  }

  /** Takes a pet whose row may be on its way. */
  reach(id: bigint, details: PetInHand['details'] = 'closed'): void {
    const { notes, rows, sync } = this.#till;
    this.isFirst = false;
    const finding = sync.find(id).then(
      (pet) => {
        if (!pet) notes.tell(`No pet has the id ${id}. Nothing was done.`);
        return rows.get(id);
      },
      (): undefined => {
        notes.tell(`Pet ${id} was not found in time. Nothing was done; try again.`);
      },
    );
    this.#set(id, details);
    this.wantsFocus = details === 'closed';
    this.#finding = finding;
    void finding.then((row) => {
      if (this.#finding !== finding) return;
      this.#finding = undefined;
      if (!row && this.id === id) this.end();
      else this.#till.onChange();
    });
  }

  open(details: PetInHand['details']): void {
    // A modal that a scan has closed says so late.
    if (details === this.details) return;
    if (this.id !== undefined) this.#set(this.id, details);
    if (details === 'closed') this.wantsFocus = true;
  }

  end(): void {
    // Else the first row would be taken in its place.
    this.wantsFocus = false;
    this.#set(undefined, 'closed');
  }

  /** Calls `work` with the row of the pet, now or as soon as it is here. */
  async use(work: (row: Row) => void): Promise<void> {
    const { id, row } = this;
    if (row) return work(row);
    let isWanted = true;
    // The latest deed already: else the one before would be undone.
    const takeBack = () => {
      isWanted = false;
      this.#till.notes.say(`Undone: nothing was done to pet ${id}.`);
      return undefined;
    };
    this.#till.undo.add(takeBack);
    const found = await this.#finding;
    this.#till.undo.drop(takeBack);
    if (found && isWanted) work(found);
  }

  /** The rows of the latest search are here. */
  settle(): void {
    if (this.id === undefined || this.#finding) return;
    if (this.row) this.isSure = true;
    else this.end();
  }

  #set(id: bigint | undefined, details: PetInHand['details']): void {
    const [left, typed] = [this.id, this.id === undefined ? undefined : readTyped(this.id)];
    const isLeft = left !== undefined && typed && (id !== left || details === 'closed');
    this.id = id;
    this.details = details;
    this.isSure = true;
    this.#finding = undefined;
    keepUnsaved('hand', id === undefined ? undefined : { id, details });
    if (isLeft) {
      keepTyped(left, undefined);
      this.#till.outbox.leave(left, typed);
    }
    this.#till.onChange();
  }
}
