import type { Pet } from '../../../../client/src/index.ts';

/** Text about pets. Each is shown with its id and its shortened name, which keeps its own direction. */
export type Words = readonly (string | Pet)[];

export interface Choice {
  label: string;
  act: () => void;
}

export interface Note {
  /** Without a key of its own, a button would keep the focus and belong to another note. */
  key?: number;
  /** How long it still has, if it ends by itself. */
  leftMs?: number;
  /** Absent if the note says that nothing was done. */
  petId?: bigint;
  words: Words;
  /** Why the service could not be asked. It is outdated as soon as the service is back. */
  outage?: string;
  /** A note with choices stays until one is made; others end by themselves. */
  choices?: Choice[];
  undo?: () => void;
}

/** How long a person can undo. Nothing ends while the pointer or the focus is on a note. */
const durationMs = 10_000;
const tickMs = 250;

/** The notes on the screen, oldest first. */
export class Notes {
  list: readonly Note[] = [];
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #tickedMs = 0;
  #lastKey = 0;
  #isHeld = false;
  /** The changes that can be undone, oldest first. They are cleared with the last note. */
  #undoable: Note[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** True when a problem with this pet waits for a choice. */
  hasProblem(petId: bigint): boolean {
    return this.list.some((note) => note.petId === petId && note.choices);
  }

  add(note: Note): void {
    this.#tick();
    note.key = ++this.#lastKey;
    if (!note.choices) note.leftMs = durationMs;
    if (note.undo) this.#undoable.push(note);
    // The reason why nothing was done is outdated by now.
    this.#set([...this.list.filter(({ petId, choices }) => petId !== undefined || choices), note]);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Says why something that a person did is ignored. */
  say(...words: Words): void {
    this.add({ words });
  }

  /** Makes the problem with this pet the newest note, which is never folded. */
  bringUp(petId: bigint): void {
    const isWanted = (note: Note) => note.petId === petId && note.choices !== undefined;
    this.#set([...this.list.filter((note) => !isWanted(note)), ...this.list.filter(isWanted)]);
  }

  endOutage(): void {
    for (const note of this.list) delete note.outage;
    this.#onChange();
  }

  drop(note: Note): void {
    this.#set(this.list.filter((other) => other !== note));
  }

  dropOf(petId: bigint): void {
    for (const note of this.list) if (note.petId === petId) this.drop(note);
  }

  /** Drops what is told about a pet that is gone, and what could be undone. */
  forget(petId: bigint): void {
    this.#undoable = this.#undoable.filter((note) => note.petId !== petId);
    this.dropOf(petId);
  }

  /** Ends a note with the choice of a person. */
  choose(note: Note, act: () => void): void {
    this.#undoable = this.#undoable.filter((other) => other !== note);
    this.drop(note);
    act();
  }

  /** The latest change that is not undone yet. Its note may be replaced by another one, or have ended. */
  get undoable(): Note | undefined {
    return this.#undoable.at(-1);
  }

  undo(): void {
    const note = this.undoable;
    if (note?.undo) this.choose(note, note.undo);
    else this.say('There is nothing to undo.');
  }

  setHeld(isHeld: boolean): void {
    this.#tick();
    this.#isHeld = isHeld;
  }

  #tick(): void {
    const nowMs = performance.now();
    const passedMs = this.#isHeld ? 0 : nowMs - this.#tickedMs;
    this.#tickedMs = nowMs;
    for (const note of this.list) {
      if (note.leftMs === undefined) continue;
      note.leftMs -= passedMs;
      if (note.leftMs > 0) continue;
      this.drop(note);
      if (this.list.length === 0) this.#undoable = [];
    }
    if (this.list.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #set(list: readonly Note[]): void {
    this.list = list;
    this.#onChange();
  }
}
