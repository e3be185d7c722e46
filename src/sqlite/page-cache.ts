import { petStatuses, type Page, type PageRequest } from '../pet.ts';

/** What the pages kept between two writes may cost; past this they make room for new ones. */
const maxKeptBytes = 8 * 1024 * 1024;
/**
 * Counted for an entry besides its text: its key, the page, and the headers that `http/` keeps with it. That is more
 * than they take, because entries that were dropped stay until the garbage collector comes.
 */
const entryBytes = 4096;
const emptyPage = '[]';
const maxTextBytes = 64 * 1024;
/** A power of two. */
const markCount = 4096;

type Key = number | string;

/**
 * The pages of the current version of the file that are asked for again and again. There are few first pages, and each
 * is kept at once. A page behind a cursor is kept when it is asked for a second time: to keep every page of a walk would
 * double the memory and help nobody.
 */
export class PageCache {
  readonly #pages = new Map<Key, Page>();
  // What was asked for last, at the place of its mark. Two pages that share a place forget each other, which costs time
  // alone. A set of their keys took 4 % more for a random page.
  readonly #marks = new Float64Array(markCount);
  #bytes = 0;

  /** The page as it is kept, or else as `read` gives it. */
  get(request: PageRequest, read: (request: PageRequest) => Page): Page {
    if (request.after !== undefined && !this.#isAskedAgain(request, request.after)) return read(request);
    const key = keyOf(request);
    return this.#pages.get(key) ?? this.#keep(key, read(request));
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }

  #isAskedAgain({ limit, status }: PageRequest, after: bigint): boolean {
    const id = Number(after);
    const filter = status === undefined ? 0 : petStatuses.indexOf(status) + 1;
    const mark = (id * 4 + filter) * 128 + limit;
    const place = (id ^ mark) & (markCount - 1);
    const isAgain = this.#marks[place] === mark;
    this.#marks[place] = mark;
    return isAgain;
  }

  #keep(key: Key, page: Page): Page {
    // There are as many empty pages as ids that are not taken, and none of them takes time to read.
    if (page.json === emptyPage) return page;
    const bytes = Buffer.from(page.json);
    const cost = entryBytes + bytes.length;
    if (cost > maxKeptBytes) return page;
    if (this.#bytes + cost > maxKeptBytes) this.clear();
    // A short ASCII text costs 0.4 µs less to send than its bytes; any other text would be encoded each time.
    const isCheapText = bytes.length === page.json.length && bytes.length <= maxTextBytes;
    const kept = { ...page, json: isCheapText ? page.json : bytes, isShared: true };
    this.#pages.set(key, kept);
    this.#bytes += cost;
    return kept;
  }
}

/** Of a first page without a filter, the number alone: to put a text together takes 1 % of a hot list. */
function keyOf({ limit, status, after }: PageRequest): Key {
  return status === undefined && after === undefined ? limit : `${limit} ${status ?? ''} ${after ?? ''}`;
}
