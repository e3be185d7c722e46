import {
  isInvalidPet,
  isNotFound,
  isPetstoreError,
  isTemporary,
  isUnauthorized,
  type Pet,
} from '../../../client/src/index.ts';
import type { ConsoleClient } from '../console-client.ts';
import type { Problem } from '../connect.ts';
import { isSame, type PetCollection } from '../pets/data/pet-collection.ts';
import type { Choice, Notes, Words } from './notes.ts';
import { withFields, type Wish } from './wish.ts';
import { anywayLabel, tellConflict, tellDone, tellFailed } from './words.ts';

export interface OutcomesOptions {
  client: Pick<ConsoleClient, 'updatePet' | 'deletePet' | 'readPet'>;
  collection: PetCollection;
  notes: Notes;
  onRefused: () => void;
  toProblem: (error: unknown) => Problem;
}

/** An attempt to fulfil a wish for a pet as a person saw it. */
export interface Attempt {
  seen: Pet;
  wish: Wish;
  /** True when an earlier attempt may have succeeded although its response was lost. */
  mayBeDone: boolean;
}

/** Shows and tells what came of an attempt. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #onRepeat: (attempt: Attempt) => void;

  constructor(options: OutcomesOptions, onRepeat: (attempt: Attempt) => void) {
    this.#options = options;
    this.#onRepeat = onRepeat;
  }

  /** The store has done what was wanted. */
  finish({ wish }: Attempt, pet: Pet, undo: () => void): void {
    const { collection, notes } = this.#options;
    collection.replace(pet);
    notes.add({ petId: pet.id, words: tellDone(pet, wish), undo });
  }

  /** After a failure, only the store knows what became of the pet. Resolves with the pet if all is well after all. */
  async settle(attempt: Attempt, error: unknown): Promise<Pet | undefined> {
    const { client, collection } = this.#options;
    const { seen, wish } = attempt;
    const isConflict = isPetstoreError(error, 'precondition_failed');
    if (!isConflict && !isTemporary(error)) return this.fail(attempt, error);
    const repeatable: Attempt = { ...attempt, mayBeDone: attempt.mayBeDone || !isConflict };
    try {
      const { pet } = await client.readPet(seen.id);
      const isDone = wish !== 'remove' && isSame(pet, withFields(seen, wish));
      if (isDone && repeatable.mayBeDone) return pet;
      collection.replace(pet);
      if (isSame(pet, seen)) this.fail(repeatable, error);
      else this.conflict(attempt, pet);
    } catch (readError) {
      this.fail(repeatable, readError);
    }
    return undefined;
  }

  /** Somebody else was faster. */
  conflict({ seen, wish }: Attempt, now: Pet): void {
    const isMoot = wish !== 'remove' && isSame(now, withFields(now, wish));
    const repeat = () => this.#onRepeat({ seen: now, wish, mayBeDone: false });
    this.#tell(
      seen,
      tellConflict(seen, now),
      isMoot ? [ok] : [{ label: anywayLabel(wish), act: repeat }, leaveIt],
    );
  }

  /** Nothing has changed. */
  fail(attempt: Attempt, error: unknown): undefined {
    const { collection, onRefused } = this.#options;
    const { seen, wish } = attempt;
    if (isUnauthorized(error)) {
      onRefused();
    } else if (isNotFound(error)) {
      collection.remove(seen.id);
      this.#tell(seen, ['Somebody else has removed ', seen, ' in the meantime.'], [ok]);
    } else {
      const repeat = { label: 'Try again', act: () => this.#onRepeat(attempt) };
      this.#tell(seen, [...tellFailed(seen, wish), ` ${this.#reasonOf(error)}`], [repeat, leaveIt]);
    }
  }

  #reasonOf(error: unknown): string {
    if (isPetstoreError(error, 'method_not_allowed')) return 'The service no longer lets pets be changed.';
    if (isInvalidPet(error)) return error.message;
    const { title, advice, requestId } = this.#options.toProblem(error);
    return `${title}. ${advice}${requestId === undefined ? '' : ` Request id ${requestId}.`}`;
  }

  #tell({ id }: Pet, words: Words, choices: Choice[]): void {
    this.#options.notes.add({ petId: id, words, choices });
  }
}

const ok: Choice = { label: 'OK', act() {} };
const leaveIt: Choice = { label: 'Leave it as it is', act() {} };
