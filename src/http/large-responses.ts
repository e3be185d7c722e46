import { PetstoreError } from '../domain/error.ts';
import type { ResponseBody } from './response.ts';

/** Bodies of at least this length count until they are sent; shorter ones fit in a socket's buffers. */
const largeLength = 128 * 1024;
/** The most bytes that a character can take, so most bodies need not be measured. */
const maxBytesPerCharacter = 3;
/** How much may wait in memory for slow readers. With the API's limit on names, the longest page is 0.2 MB. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Bounds the memory held for slow readers: the runtime copies a body for each response and keeps the copy until its
 * caller has read it.
 */
export class LargeResponses {
  /** True once the response was sent completely or its caller has left. */
  readonly #isSent: (request: Request) => boolean;
  readonly #maxBytes: number;
  /** The size of each response that was still waiting at the last check. */
  readonly #sizes = new Map<Request, number>();
  #bytes = 0;

  constructor(isSent: (request: Request) => boolean, maxBytes = maxWaitingBytes) {
    this.#isSent = isSent;
    this.#maxBytes = maxBytes;
  }

  /** Counts a response. Fails with `overloaded` if too much is waiting. */
  add(request: Request, body: ResponseBody): void {
    if (body.length * maxBytesPerCharacter < largeLength) return;
    const size = Buffer.byteLength(body);
    if (size < largeLength) return;
    if (this.#bytes + size > this.#maxBytes) this.#forgetSent();
    if (this.#bytes + size > this.#maxBytes) {
      throw new PetstoreError('overloaded', 'Too many large responses wait to be read. Try again shortly.');
    }
    this.#sizes.set(request, size);
    this.#bytes += size;
  }

  #forgetSent(): void {
    for (const [request, size] of this.#sizes) {
      if (!this.#isSent(request)) continue;
      this.#sizes.delete(request);
      this.#bytes -= size;
    }
  }
}
