import type { Pet } from '../../../client/src/index.ts';

/** Text about pets. Their names are shown each in its own direction and not in full length. */
export type Words = readonly (string | Pet)[];

export interface Choice {
  label: string;
  act: () => void;
}

export interface Note {
  /** Without a key of its own, a button would keep the focus and belong to another note. */
  key?: number;
  petId: bigint;
  words: Words;
  /** A note with choices stays until one is made; others end by themselves. */
  choices?: Choice[];
  undo?: () => void;
  /** Called when the note ends and nobody undid it. `isLeaving` is true when the document goes away. */
  onEnd?: (isLeaving: boolean) => void;
}

/** How long a person can undo. Nothing ends while the pointer or the focus is on a note. */
const durationMs = 10_000;
const tickMs = 250;

/** The notes on the screen, oldest first. */
export class Notes {
  list: readonly Note[] = [];
  readonly #onChange: () => void;
  /** How long each note that ends by itself still has. */
  readonly #leftMs = new Map<Note, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #tickedMs = 0;
  #lastKey = 0;
  #isHeld = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** True when a problem with this pet waits for a choice. */
  hasProblem(petId: bigint): boolean {
    return this.list.some((note) => note.petId === petId && note.choices);
  }

  add(note: Note): void {
    note.key = ++this.#lastKey;
    this.#set([...this.list, note]);
    if (note.choices) return;
    this.#tick();
    this.#leftMs.set(note, durationMs);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  drop(note: Note): void {
    this.#leftMs.delete(note);
    this.#set(this.list.filter((other) => other !== note));
  }

  dropOf(petId: bigint): void {
    for (const note of this.list) if (note.petId === petId) this.drop(note);
  }

  choose(note: Note, choice: Choice): void {
    this.drop(note);
    choice.act();
  }

  /** Undoes what the note tells, without one what the latest note tells. */
  undo(note: Note | undefined = this.list.findLast(({ undo }) => undo)): void {
    if (!note) return;
    this.drop(note);
    note.undo?.();
  }

  setHeld(isHeld: boolean): void {
    this.#tick();
    this.#isHeld = isHeld;
  }

  /** Ends all notes that end by themselves now, oldest first, because the document goes away. */
  endAll(): void {
    for (const note of this.#leftMs.keys()) this.#end(note, true);
  }

  #tick(): void {
    const nowMs = performance.now();
    const passedMs = this.#isHeld ? 0 : nowMs - this.#tickedMs;
    this.#tickedMs = nowMs;
    for (const [note, leftMs] of this.#leftMs) {
      if (leftMs > passedMs) this.#leftMs.set(note, leftMs - passedMs);
      else this.#end(note, false);
    }
    if (this.#leftMs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #end(note: Note, isLeaving: boolean): void {
    this.drop(note);
    note.onEnd?.(isLeaving);
  }

  #set(list: readonly Note[]): void {
    this.list = list;
    this.#onChange();
  }
}
