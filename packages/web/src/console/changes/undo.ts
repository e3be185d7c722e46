import type { Notes } from './notes.ts';
import type { Words } from './words.ts';

/** Takes back something that this till did, or returns the reason why that is not possible. */
export type Deed = () => Words | undefined;

/** What this till did. The latest is taken back first. */
export class Undo {
  readonly #notes: Notes;
  #deeds: readonly Deed[] = [];

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add(deed: Deed): Deed {
    this.#deeds = [...this.#deeds, deed];
    return deed;
  }

  drop(deed: Deed | undefined): void {
    this.#deeds = this.#deeds.filter((other) => other !== deed);
  }

  /** Takes the latest deed back, or says why not: nothing before it is undone instead. */
  latest(): void {
    const deed = this.#deeds.at(-1);
    if (deed) this.take(deed);
    else this.#notes.say('There is nothing to undo.');
  }

  take(deed: Deed): void {
    const why = deed();
    if (why) this.#notes.say(...why);
    else this.drop(deed);
  }
}
