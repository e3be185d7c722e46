import { foldName, isSameName, searchWords } from '../../../../../src/domain/fold.ts';
import type { Category } from '../../../../client/src/index.ts';

/** The names of categories at one time. Other names are another object, so that whatever shows them is drawn again. */
export class CategoryNames {
  /** By ascending number. */
  readonly list: readonly Category[];
  /** What each number is called: its name, with the number if another one has the same name. */
  readonly #names: ReadonlyMap<bigint, string>;

  constructor(list: readonly Category[] = []) {
    this.list = list;
    const folded = list.map(({ name }) => foldName(name.trim()));
    const isTwice = (index: number, name = folded[index] ?? '') =>
      folded.indexOf(name) !== index || folded.lastIndexOf(name) !== index;
    this.#names = new Map(
      list.map(({ id, name }, index) => [id, isTwice(index) ? `${name.trim()} (${id})` : name]),
    );
  }

  nameOf(id: bigint): string | undefined {
    return this.#names.get(id);
  }

  /** The name, or the number where there is no name. */
  nameOrNumber(id: bigint): string {
    return this.nameOf(id) ?? id.toString();
  }

  /** A category within a sentence, where only marks can keep a name in its own direction. */
  mention(id: bigint): string {
    const name = this.nameOf(id);
    return name === undefined ? `category ${id}` : `\u2068${name}\u2069`;
  }

  /** The number that a person means by a number or a name. Of several numbers with that name, it is the lowest. */
  numberOf(text: string): bigint | undefined {
    if (isInteger(text)) return BigInt(text);
    const means = (name: string | undefined) => name !== undefined && isSameName(name, text);
    return this.list.find(({ id, name }) => means(name) || means(this.nameOf(id)))?.id;
  }

  /** The categories with all these words in their names, as a search finds pets. */
  find(text: string): readonly Category[] {
    const words = searchWords(text);
    if (words.length === 0) return [];
    return this.list.filter(({ name }) => words.every((word) => foldName(name).includes(word)));
  }
}

export function isInteger(text: string): boolean {
  return /^\s*[+-]?\d+\s*$/.test(text);
}
