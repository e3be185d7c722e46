import { PetstoreError } from '../error.ts';
import type { RenderedJson } from '../pet.ts';
import type { Answer } from './response.ts';

/** Whether a request is answered to its last byte, or its caller gone. */
export type IsSent = (request: Request) => boolean;

/** Answers of this length and more are watched until they are sent; shorter ones fit into the buffers of a socket. */
const largeLength = 128 * 1024;
/** No character takes more bytes than this, so most bodies need not be measured. */
const maxBytesPerCharacter = 3;
/** How much may wait in memory for callers to read it. The longest page has 6.5 MB. */
const maxWaitingBytes = 64 * 1024 * 1024;
const lookEveryMs = 1000;

/** Whether a body is watched until it is sent. */
export function isLarge(body: RenderedJson): boolean {
  return body.length * maxBytesPerCharacter >= largeLength && Buffer.byteLength(body) >= largeLength;
}

interface Waiting {
  body: Blob;
  /** Those to whom it is being sent. */
  requests: Set<Request>;
}

/**
 * Bounds what slow readers cost. The runtime copies bytes and wide text for every answer, and keeps the copy until
 * its caller has read it: 500 callers who asked for the longest page and read nothing took 3 GB. A blob is shared,
 * so a page is held once, however many wait for it, and all pages together up to a limit.
 */
export class LargeAnswers {
  readonly #waiting = new Map<string, Waiting>();
  readonly #isSent: IsSent | undefined;
  readonly #maxBytes: number;
  #bytes = 0;
  #looking: Timer | undefined;

  constructor(isSent: IsSent | undefined, maxBytes = maxWaitingBytes) {
    this.#isSent = isSent;
    this.#maxBytes = maxBytes;
  }

  /** The body to send instead; the same tag is the same content. Fails with `overloaded` when too much waits already. */
  bodyOf(body: Answer['body'], etag: string | undefined, request: Request): Answer['body'] | Blob {
    if (body === null || !isLarge(body) || request.method === 'HEAD' || !this.#isSent) return body;
    const version = etag ?? crypto.randomUUID();
    const waiting = this.#waiting.get(version) ?? this.#add(version, body);
    waiting.requests.add(request);
    this.#looking ??= setInterval(() => this.#forgetSent(), lookEveryMs).unref();
    return waiting.body;
  }

  #add(version: string, body: RenderedJson): Waiting {
    const size = Buffer.byteLength(body);
    if (this.#bytes + size > this.#maxBytes) this.#forgetSent();
    if (this.#bytes + size > this.#maxBytes) {
      throw new PetstoreError('overloaded', 'Too many long answers wait to be read. Try again shortly.');
    }
    const waiting = { body: new Blob([body]), requests: new Set<Request>() };
    this.#waiting.set(version, waiting);
    this.#bytes += size;
    return waiting;
  }

  #forgetSent(): void {
    for (const [version, { body, requests }] of this.#waiting) {
      for (const request of requests) if (this.#isSent?.(request)) requests.delete(request);
      if (requests.size > 0) continue;
      this.#waiting.delete(version);
      this.#bytes -= body.size;
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}
