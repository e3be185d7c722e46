import { PetstoreError } from '../domain/error.ts';
import type { ResponseBody } from './response.ts';

/** True once the response was sent completely or its caller has left. */
export type IsSent = (request: Request) => boolean;

/** Bodies of at least this length are watched until they are sent; shorter ones fit in a socket's buffers. */
const largeLength = 128 * 1024;
/** The most bytes that a character can take, so most bodies need no measuring. */
const maxBytesPerCharacter = 3;
/** How much may wait in memory for slow readers. The longest page is 6.5 MB, given the API's limits on names. */
const maxWaitingBytes = 64 * 1024 * 1024;
const checkEveryMs = 1000;

function isLarge(body: ResponseBody): boolean {
  return body.length * maxBytesPerCharacter >= largeLength && Buffer.byteLength(body) >= largeLength;
}

interface SharedBody {
  blob: Blob;
  /** Requests that have not read all of it. */
  readers: Set<Request>;
}

/**
 * Bounds the memory held for slow readers. The runtime copies a body for each response and keeps the copy until its
 * caller has read it, but responses can share a blob. A page is held once, however many callers wait for it, and the
 * total is limited.
 */
export class LargeResponses {
  readonly #bodies = new Map<string, SharedBody>();
  readonly #isSent: IsSent | undefined;
  readonly #maxBytes: number;
  #bytes = 0;
  #checking: Timer | undefined;

  constructor(isSent: IsSent | undefined, maxBytes = maxWaitingBytes) {
    this.#isSent = isSent;
    this.#maxBytes = maxBytes;
  }

  /** Returns the body to send; equal ETags mean equal bodies. Fails with `overloaded` if too much is waiting. */
  bodyFor(request: Request, body: ResponseBody | null, etag: string | undefined): ResponseBody | Blob | null {
    if (body === null || !isLarge(body) || !this.#isSent) return body;
    const name = etag ?? crypto.randomUUID();
    const shared = this.#bodies.get(name) ?? this.#add(name, body);
    shared.readers.add(request);
    this.#checking ??= setInterval(() => this.#forgetSent(), checkEveryMs).unref();
    return shared.blob;
  }

  #add(name: string, body: ResponseBody): SharedBody {
    const size = Buffer.byteLength(body);
    if (this.#bytes + size > this.#maxBytes) this.#forgetSent();
    // A page that exceeds the limit alone (names imported by an older version) is sent if nothing else waits.
    if (this.#bytes > 0 && this.#bytes + size > this.#maxBytes) {
      throw new PetstoreError('overloaded', 'Too many large responses wait to be read. Try again shortly.');
    }
    const shared = { blob: new Blob([body]), readers: new Set<Request>() };
    this.#bodies.set(name, shared);
    this.#bytes += size;
    return shared;
  }

  #forgetSent(): void {
    for (const [name, { blob, readers }] of this.#bodies) {
      for (const request of readers) if (this.#isSent?.(request)) readers.delete(request);
      if (readers.size > 0) continue;
      this.#bodies.delete(name);
      this.#bytes -= blob.size;
    }
    if (this.#bodies.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }
}
