import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { ListRequest } from './paging.ts';
import { addHeaders, type PlainResponse } from '../response.ts';

/** The memory limit for all kept responses. All of them are dropped when the next one would exceed it. */
const maxKeptBytes = 8 * 1024 * 1024;
/** Overhead per response; generous, because dropped ones wait for the garbage collector. */
const overheadBytes = 4096;
/** Short ASCII text is cheaper to send as a string than as bytes; other text would be encoded every time. */
const maxTextBytes = 64 * 1024;

type CacheMetrics = Pick<HttpMetrics, 'cacheHits' | 'cacheMisses'>;
type MakeResponse<Asked> = (asked: Asked) => MaybePromise<PlainResponse>;

/**
 * Keeps finished responses by page request until the next commit. Every call reads the store's version, so a kept
 * response is never older than a create that was acknowledged before the call.
 *
 * Only first pages are kept: a walk through all pages would fill the memory.
 */
export class ResponseCache {
  readonly #version: () => number | undefined;
  readonly #baseHeaders: Record<string, string>;
  readonly #metrics: CacheMetrics | undefined;
  readonly #kept = new Map<string, PlainResponse>();
  #keptVersion: number | undefined;
  #keptBytes = 0;

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
    const key = `${limit} ${status ?? ''} ${filter ?? ''}`;
    const kept = after === undefined ? this.#kept.get(key) : undefined;
    if (kept) {
      this.#metrics?.cacheHits.increment();
      return kept;
    }
    this.#metrics?.cacheMisses.increment();
    if (after !== undefined) return make(request);
    return andThen(make(request), (made) => this.#keep(key, made, version));
  }

  #keep(key: string, response: PlainResponse, version: number): PlainResponse {
    const { body } = response;
    // Another commit happened during the read.
    if (version !== this.#keptVersion) return response;
    if (typeof body !== 'string') return response;
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
