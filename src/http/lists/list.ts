import type { Page, PetStore } from '../../stores/store.ts';
import { etagOf } from '../../domain/precondition.ts';
import { andThen, type MaybePromise } from '../../system/maybe-promise.ts';
import type { Representation } from '../response.ts';
import type { Handler } from '../route.ts';
import { type ListKind, type ListRequest, nextLink, parsePageRequest } from './paging.ts';

/** Creates the handler of a list. The store's version tells how long a page stays current; `read` reads one page. */
export function createList<AnyRequest extends ListRequest>(
  kind: ListKind<AnyRequest>,
  store: Pick<PetStore, 'version'>,
  read: (asked: AnyRequest, request: Request) => MaybePromise<Page>,
): Handler {
  const cache = new PageCache();
  return ({ request }) => {
    const asked = parsePageRequest(request.url, kind);
    // Read the version before the page: a commit in between then only drops the page early.
    const readAt = store.version();
    const kept = cache.get(asked, readAt);
    if (kept) return kept;
    return andThen(read(asked, request), (found) => {
      const link = nextLink(asked, found, kind);
      const page = { body: found.json, etag: etagOfPage(found), ...(link !== undefined && { link }) };
      cache.put(asked, readAt, page);
      return page;
    });
  };
}

/** Callers whose reads were joined share a page, and so its hash. */
const etags = new WeakMap<Page, string>();

function etagOfPage(page: Page): string {
  let etag = etags.get(page);
  if (etag === undefined) {
    // The mark makes the Link part of the ETag: a page that gains a successor changes only there.
    etag = etagOf(page.json, page.next === undefined ? '' : '.more');
    etags.set(page, etag);
  }
  return etag;
}

/** The memory limit for all kept pages. All of them are dropped when the next one would exceed it. */
const maxKeptBytes = 8 * 1024 * 1024;
/** Overhead per page; generous, because dropped ones wait for the garbage collector. */
const overheadBytes = 4096;
/** Short ASCII text is cheaper to send as a string than as bytes; other text would be encoded every time. */
const maxTextBytes = 64 * 1024;

/**
 * Keeps the first pages of a list until the next commit; a walk through all pages would fill the memory. Callers read
 * the store's version before they ask, so a kept page is never older than a change acknowledged before the request.
 */
export class PageCache {
  readonly #pages = new Map<string, Representation>();
  #version: number | undefined;
  #bytes = 0;

  /** Keeps nothing while the version is unknown. */
  get(asked: ListRequest, version: number | undefined): Representation | undefined {
    if (version === undefined) return undefined;
    if (version !== this.#version) this.#clear();
    this.#version = version;
    return asked.after === undefined ? this.#pages.get(keyOf(asked)) : undefined;
  }

  /** Takes a page that was read after `version`. It is outdated if `get` has seen another version since. */
  put(asked: ListRequest, version: number | undefined, page: Representation & { body: string }): void {
    if (asked.after !== undefined || version === undefined || version !== this.#version) return;
    const bytes = Buffer.from(page.body);
    const cost = overheadBytes + bytes.length;
    if (cost > maxKeptBytes) return;
    if (this.#bytes + cost > maxKeptBytes) this.#clear();
    const isCheapText = bytes.length === page.body.length && bytes.length <= maxTextBytes;
    this.#pages.set(keyOf(asked), isCheapText ? page : { ...page, body: bytes });
    this.#bytes += cost;
  }

  #clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }
}

function keyOf({ limit, status = '', filter = '' }: ListRequest): string {
  return `${limit} ${status} ${filter}`;
}
