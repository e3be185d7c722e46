import type { Notes } from './notes.ts';
import type { Words } from './words.ts';

/** Something that this till did. */
export interface Deed {
  /** Takes it back; or the reason why that is not possible. */
  undo: (() => Promise<unknown>) | Words;
}

/** More than anybody takes back. */
const mostDeeds = 100;

export const stillSaving = 'The last change is still being saved. Nothing else was done; try again.';

/** What this till did. The latest is taken back first. */
export class Undo {
  readonly #notes: Notes;
  #deeds: readonly Deed[] = [];
  #isRunning = false;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add(undo: Deed['undo']): Deed {
    const deed = { undo };
    this.#deeds = [...this.#deeds, deed].slice(-mostDeeds);
    return deed;
  }

  drop(deed: Deed | undefined): void {
    this.#deeds = this.#deeds.filter((other) => other !== deed);
  }

  /** Takes the latest deed back, or says why not: nothing before it is undone instead. */
  latest(): void {
    const deed = this.#deeds.at(-1);
    if (deed) void this.take(deed);
    else this.#notes.say('There is nothing to undo.');
  }

  async take(deed: Deed): Promise<void> {
    const { undo } = deed;
    if (this.#isRunning) return this.#notes.say(stillSaving);
    if (typeof undo !== 'function') return this.#notes.say(...undo);
    this.#isRunning = true;
    this.drop(deed);
    try {
      await undo();
    } finally {
      this.#isRunning = false;
    }
  }
}
