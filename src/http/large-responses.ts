import { PetstoreError } from '../domain/error.ts';
import type { ResponseBody } from './response.ts';

/** True once the response was sent completely or its caller has left. */
export type IsSent = (request: Request) => boolean;

/** Bodies of at least this length are counted until they are sent; shorter ones fit in a socket's buffers. */
const largeLength = 128 * 1024;
/** The most bytes that a character can take, so most bodies need no measuring. */
const maxBytesPerCharacter = 3;
/** How much may wait in memory for slow readers. The longest page is 6.5 MB, given the API's limits on names. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * Bounds the memory held for slow readers: the runtime keeps a copy of each body until its caller has read it.
 */
export class LargeResponses {
  readonly #waiting = new Map<Request, number>();
  readonly #isSent: IsSent | undefined;
  readonly #maxBytes: number;

  constructor(isSent: IsSent | undefined, maxBytes = maxWaitingBytes) {
    this.#isSent = isSent;
    this.#maxBytes = maxBytes;
  }

  /** Counts a body that is about to be sent. Fails with `overloaded` if too much is waiting. */
  add(request: Request, body: ResponseBody): void {
    if (!this.#isSent || body.length * maxBytesPerCharacter < largeLength) return;
    const size = Buffer.byteLength(body);
    if (size < largeLength) return;
    let waiting = 0;
    for (const [earlier, bytes] of this.#waiting) {
      if (this.#isSent(earlier)) this.#waiting.delete(earlier);
      else waiting += bytes;
    }
    // A page that exceeds the limit alone (names imported by an older version) is sent if nothing else waits.
    if (waiting > 0 && waiting + size > this.#maxBytes) {
      throw new PetstoreError('overloaded', 'Too many large responses wait to be read. Try again shortly.');
    }
    this.#waiting.set(request, size);
  }
}
