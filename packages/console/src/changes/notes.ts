import type { Pet } from '../../../client/src/index.ts';
import { Countdown } from './countdown.ts';

/** Text about pets. Their names are shown each in its own direction and not in full length. */
export type Words = readonly (string | Pet)[];

export interface Choice {
  label: string;
  act: () => void;
}

/** Tells a person what happened to a pet. */
export interface Note {
  petId: bigint;
  words: Words;
  /** A note with choices stays until one is made; others end by themselves. */
  choices?: Choice[];
  /** Takes back what the note tells. */
  undo?: () => void;
  /** Called when the note ends and nobody undid it. `isLeaving` is true when the document goes away. */
  onEnd?: (isLeaving: boolean) => void;
}

/** How long a person can undo. Nothing ends while the pointer or the focus is on a note. */
const durationMs = 10_000;

/** The notes on the screen, oldest first. */
export class Notes {
  readonly #onChange: () => void;
  readonly #countdowns = new Map<Note, Countdown>();
  #list: readonly Note[] = [];
  #isHeld = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get list(): readonly Note[] {
    return this.#list;
  }

  /** True when a problem with this pet waits for a choice. */
  hasProblem(petId: bigint): boolean {
    return this.#list.some((note) => note.petId === petId && note.choices);
  }

  add(note: Note): void {
    this.#set([...this.#list, note]);
    if (note.choices) return;
    const countdown = new Countdown(durationMs, () => this.#end(note, false));
    this.#countdowns.set(note, countdown);
    if (!this.#isHeld) countdown.run();
  }

  /** Takes a note away without its end. */
  drop(note: Note): void {
    this.#countdowns.get(note)?.hold();
    this.#countdowns.delete(note);
    this.#set(this.#list.filter((other) => other !== note));
  }

  dropOf(petId: bigint): void {
    for (const note of this.#list) if (note.petId === petId) this.drop(note);
  }

  choose(note: Note, choice: Choice): void {
    this.drop(note);
    choice.act();
  }

  /** Undoes what the note tells, without one what the latest note tells. */
  undo(note: Note | undefined = this.#list.findLast(({ undo }) => undo)): void {
    if (!note) return;
    this.drop(note);
    note.undo?.();
  }

  /** While notes are held, none of them ends by itself. */
  setHeld(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const countdown of this.#countdowns.values()) {
      if (isHeld) countdown.hold();
      else countdown.run();
    }
  }

  /** Ends all notes that end by themselves now, oldest first, because the document goes away. */
  endAll(): void {
    for (const note of this.#countdowns.keys()) this.#end(note, true);
  }

  #end(note: Note, isLeaving: boolean): void {
    this.drop(note);
    note.onEnd?.(isLeaving);
  }

  #set(list: readonly Note[]): void {
    this.#list = list;
    this.#onChange();
  }
}
