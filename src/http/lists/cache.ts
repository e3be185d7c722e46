import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { ListRequest } from './paging.ts';
import { addHeaders, type PlainResponse } from '../response.ts';

/** The memory limit for all kept responses. All of them are dropped when the next one would exceed it. */
const maxKeptBytes = 8 * 1024 * 1024;
/** Overhead per response; generous, because dropped ones wait for the garbage collector. */
const overheadBytes = 4096;
const emptyPage = '[]';
/** Short ASCII text is cheaper to send as a string than as bytes; other text would be encoded every time. */
const maxTextBytes = 64 * 1024;
const slotCount = 4096;

type CacheMetrics = Pick<HttpMetrics, 'cacheHits' | 'cacheMisses'>;
type MakeResponse<Asked> = (asked: Asked) => MaybePromise<PlainResponse>;

/**
 * Keeps finished responses by page request until the next commit. Every call reads the store's version, so a kept
 * response is never older than a create that was acknowledged before the call.
 *
 * First pages are few, so each is kept at once. A later page is kept when it is requested a second time, so that a walk
 * through all pages does not fill the memory.
 */
export class ResponseCache {
  readonly #version: () => number | undefined;
  readonly #baseHeaders: Record<string, string>;
  readonly #metrics: CacheMetrics | undefined;
  readonly #kept = new Map<string, PlainResponse>();
  #keptVersion: number | undefined;
  #keptBytes = 0;
  /** The last page requested in each slot. Pages in one slot evict each other, which costs only time. */
  readonly #requested: (ListRequest | undefined)[] = Array.from({ length: slotCount }, () => undefined);

  constructor(
    version: () => number | undefined,
    baseHeaders: Record<string, string>,
    metrics?: CacheMetrics,
  ) {
    this.#version = version;
    this.#baseHeaders = baseHeaders;
    this.#metrics = metrics;
  }

  /** Returns the kept response, or the one that `make` reads from the store. */
  respond<Asked extends ListRequest>(request: Asked, make: MakeResponse<Asked>): MaybePromise<PlainResponse> {
    // Read the version before the page: a commit in between then only drops the page early.
    const version = this.#version();
    if (version === undefined) return make(request);
    if (version !== this.#keptVersion) {
      this.#clear();
      this.#keptVersion = version;
    }
    const { limit, status, after, filter } = request;
    if (after !== undefined && !this.#isRequestedAgain(request, after)) {
      this.#metrics?.cacheMisses.increment();
      return make(request);
    }
    const page = `${limit} ${status ?? ''} ${after ?? ''}`;
    const key = filter === undefined ? page : `${page} ${filter}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#metrics?.cacheHits.increment();
      return kept;
    }
    this.#metrics?.cacheMisses.increment();
    return andThen(make(request), (made) => this.#keep(key, made, version));
  }

  #isRequestedAgain(request: ListRequest, after: bigint): boolean {
    const { limit, status, filter } = request;
    // Any hash will do that puts similar pages into different slots.
    const mixture = (Number(after) * 4 + (status?.length ?? 0)) * 101 + limit;
    const slot = Math.abs(mixture % slotCount);
    const last = this.#requested[slot];
    this.#requested[slot] = request;
    return last?.after === after && last.limit === limit && last.status === status && last.filter === filter;
  }

  #keep(key: string, response: PlainResponse, version: number): PlainResponse {
    const { body } = response;
    // Another commit happened during the read.
    if (version !== this.#keptVersion) return response;
    // An empty page is cheap to read, and made-up cursors after the last pet could fill the cache with them.
    if (typeof body !== 'string' || body === emptyPage) return response;
    const bytes = Buffer.from(body);
    const cost = overheadBytes + bytes.length;
    if (cost > maxKeptBytes) return response;
    if (this.#keptBytes + cost > maxKeptBytes) this.#clear();
    const isCheapText = bytes.length === body.length && bytes.length <= maxTextBytes;
    const completeHeaders = new Headers(this.#baseHeaders);
    addHeaders(completeHeaders, response);
    const kept = { ...response, body: isCheapText ? body : bytes, completeHeaders };
    this.#kept.set(key, kept);
    this.#keptBytes += cost;
    return kept;
  }

  #clear(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
  }
}
