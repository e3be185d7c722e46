import type { Category, Key, PetstoreClient } from '../../../client/src/index.ts';
import { Categories } from './categories/categories.ts';
import { Notes } from './changes/notes.ts';
import { Outbox } from './changes/outbox.ts';
import { Undo } from './changes/undo.ts';
import { PetInHand } from './pets/data/pet-in-hand.ts';
import { PetRows } from './pets/data/pet-rows.ts';
import { PetSync } from './pets/data/pet-sync.ts';
import type { PetQuery } from './pets/find/query.ts';
import { tellNamed } from './tell-named.ts';

/** All that a person works with from signing in to signing out. */
export class Till {
  readonly client: PetstoreClient;
  /** Called when the key is no longer accepted, with what became of a change that was under way. */
  readonly onRefused: (outcome?: string) => void;
  readonly onChange: () => void;
  readonly notes: Notes;
  readonly undo: Undo;
  readonly rows: PetRows;
  readonly categories: Categories;
  readonly hand = new PetInHand(this);
  readonly outbox = new Outbox(this);
  readonly sync: PetSync;
  /** Unknown until the service has responded. */
  key: Key | undefined;
  /** Shows the form to which a text has returned: that of a pet, or the one for new pets. */
  showForm: (id: bigint | undefined) => void = () => {};

  constructor(
    client: PetstoreClient,
    query: PetQuery,
    onRefused: (outcome?: string) => void,
    onChange: () => void,
  ) {
    this.client = client;
    this.onRefused = onRefused;
    this.onChange = onChange;
    this.notes = new Notes(onChange);
    this.undo = new Undo(this.notes);
    this.rows = new PetRows(onChange);
    const onCreated = ({ id, name }: Category, ifMatch: string) =>
      tellNamed(this, `Named category ${id} “${name}”.`, id, undefined, { ifMatch });
    this.categories = new Categories({ client, onChange, onCreated });
    const { rows, categories, hand } = this;
    const kept = () => (hand.isSure ? hand.id : undefined);
    this.sync = new PetSync({ client, rows, categories, query, kept, onState: onChange });
  }

  get mayDelete(): boolean {
    return this.canChange && this.key?.mayDelete === true;
  }

  get canChange(): boolean {
    return this.whyNot === undefined;
  }

  /** Why nothing can be changed, if there is a reason. */
  get whyNot(): string | undefined {
    if (!this.key) return 'Still signing in. Nothing was done; try again.';
    return this.key.readOnly ? 'This key can only read. Nothing was done.' : undefined;
  }
}
