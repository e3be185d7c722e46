import { PetstoreError } from '../domain/error.ts';
import type { ResponseBody } from './response.ts';

/** Whether a request was responded to, to the last byte, or its caller is gone. */
export type IsSent = (request: Request) => boolean;

/** Bodies of this length and more are watched until they are sent; shorter ones fit into a socket's buffers. */
const largeLength = 128 * 1024;
/** No character takes more bytes than this, so most bodies need not be measured. */
const maxBytesPerCharacter = 3;
/** How much may wait in memory for callers to read it. The longest page has 6.5 MB, with names that the API accepted. */
const maxWaitingBytes = 64 * 1024 * 1024;
const checkEveryMs = 1000;

export function isLarge(body: ResponseBody): boolean {
  return body.length * maxBytesPerCharacter >= largeLength && Buffer.byteLength(body) >= largeLength;
}

interface SharedBody {
  blob: Blob;
  /** Those who have not read all of it. */
  readers: Set<Request>;
}

/**
 * Bounds what slow readers cost. The runtime copies a body for every response and keeps the copy until its caller has
 * read it, but responses can share a blob: a page is held once, however many wait for it, and all pages together only up
 * to a limit.
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

  /** What to send for this body; equal ETags mean equal bodies. Fails with `overloaded` when too much is waiting. */
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
    // One that is larger by itself, of names imported by an older version, goes out when nothing else waits.
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
