/** A page that can be asked for again. */
export interface KnownPage {
  /** What `listPets` takes to get it; undefined for the first page. */
  next: string | undefined;
  /** The page begins behind this id. */
  after: bigint | undefined;
}

const firstPage: KnownPage = { next: undefined, after: undefined };

/** The pages of the store's list that were loaded, in their order. */
export class KnownPages {
  readonly #pages: KnownPage[] = [];
  #following: KnownPage | undefined = firstPage;
  #turn = 0;

  get count(): number {
    return this.#pages.length;
  }

  /** The page behind the last one; undefined at the end of the list. */
  get following(): KnownPage | undefined {
    return this.#following;
  }

  get(index: number): KnownPage | undefined {
    return this.#pages[index];
  }

  /** Keeps a page that was loaded and what its response linked to: pets that were removed move where the next begins. */
  keep(index: number, page: KnownPage, following: KnownPage | undefined): void {
    this.#pages[index] = page;
    if (!following) this.#pages.length = index + 1;
    if (following && index + 1 < this.#pages.length) this.#pages[index + 1] = following;
    else this.#following = following;
  }

  forget(): void {
    this.#pages.length = 0;
    this.#following = firstPage;
  }

  /** The indexes to load again: the first page, the last, those of the watched pets, and each other page in turn. */
  nextRound(watchedIds: readonly bigint[], mostWatched: number): Set<number> {
    const last = this.#pages.length - 1;
    this.#turn = this.#turn < last ? this.#turn + 1 : 0;
    const watched = new Set(watchedIds.map((id) => this.#indexOf(id)));
    return new Set([0, last, this.#turn, ...[...watched].slice(0, mostWatched)]);
  }

  #indexOf(id: bigint): number {
    return this.#pages.findLastIndex(({ after }) => after === undefined || after < id);
  }
}
