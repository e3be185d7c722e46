import { textOf, type Words } from './words.ts';

export interface Choice {
  label: string;
  act: () => void;
}

export interface Note {
  /** Without a key of its own, a button would keep the focus and belong to another note. */
  key?: number;
  petId?: bigint;
  words: Words;
  /** A note with choices stays until one is made; others end by themselves. */
  choices?: Choice[];
  undo?: () => void;
}

/** How long a note stays, and how soon it ends after that once nobody points at one or has the focus in it. */
const durationMs = 10_000;
const retryMs = 500;

export const ok: Choice = { label: 'OK', act() {} };

/** The notes on the screen, oldest first. */
export class Notes {
  list: readonly Note[] = [];
  /** True while no note may end by itself. */
  isHeld = () => false;
  readonly #onChange: () => void;
  #lastKey = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add(note: Note): void {
    note.key = ++this.#lastKey;
    // The reason why nothing was done is outdated by now.
    this.#set([...this.list.filter(({ petId, choices }) => petId !== undefined || choices), note]);
    const end = () => (this.isHeld() ? setTimeout(end, retryMs) : this.drop(note));
    if (!note.choices) setTimeout(end, durationMs);
  }

  /** Says in passing why something that a person did is ignored. */
  say(...words: Words): void {
    this.add({ words });
  }

  /** Tells what a person must know before going on. It stays until OK or Escape, and is told once. */
  tell(...words: Words): void {
    const text = textOf(words);
    for (const note of this.list) if (isTold(note) && textOf(note.words) === text) this.drop(note);
    const pet = words.find((word) => typeof word !== 'string');
    this.add({ words, choices: [ok], ...(pet && { petId: pet.id }) });
  }

  /** Ends the newest note that waits for its OK. Returns whether there was one. */
  confirm(): boolean {
    const note = this.list.findLast(isTold);
    const [choice] = note?.choices ?? [];
    if (note && choice) this.choose(note, choice.act);
    return note !== undefined;
  }

  /** Makes the questions about this pet the newest notes: the newest is never folded. */
  bringUp(petId: bigint): void {
    const isWanted = (note: Note) => note.petId === petId && note.choices !== undefined;
    this.#set([...this.list.filter((note) => !isWanted(note)), ...this.list.filter(isWanted)]);
  }

  drop(note: Note): void {
    if (this.list.includes(note)) this.#set(this.list.filter((other) => other !== note));
  }

  /** Ends what was told in passing about this pet: it is outdated. */
  dropOf(petId: bigint): void {
    for (const note of this.list) if (note.petId === petId && !note.choices) this.drop(note);
  }

  /** Ends a note with the choice of a person. */
  choose(note: Note, act: () => void): void {
    this.drop(note);
    act();
  }

  #set(list: readonly Note[]): void {
    this.list = list;
    this.#onChange();
  }
}

function isTold({ choices }: Note): boolean {
  return choices?.length === 1;
}
