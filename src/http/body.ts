import { PetstoreError } from '../error.ts';
import { parseExactJson } from '../int64.ts';

export const maxBodyBytes = 64 * 1024;

/**
 * How much of a body that is too large is read and thrown away. A connection that closes before its caller has sent
 * everything is reset, and callers that write before they read would never see their 413.
 */
export const maxDiscardedBytes = 16 * 1024 * 1024;

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i;

/** The body was refused before all of it was read, so its connection must close. */
export class UnreadBodyError extends PetstoreError {}

/** Reads a JSON body: checks the media type first, then the size. */
export type ReadBody = (request: Request) => Promise<Uint8Array>;

/** A body that trickles in is never idle, so only a deadline of its own ends it. */
export function createBodyReader(timeoutMs: number): ReadBody {
  const lateMessage = `The body did not arrive within ${timeoutMs / 1000} seconds.`;

  return async (request) => {
    if (!jsonMediaType.test(request.headers.get('Content-Type')?.trim() ?? '')) {
      throw new PetstoreError(
        'unsupported_media_type',
        'The body must be sent as "Content-Type: application/json" in UTF-8.',
      );
    }
    const body = new ArrivingBody(request);
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      deadline.reject(
        body.isTooLarge ? tooLarge(UnreadBodyError) : new UnreadBodyError('invalid_json', lateMessage),
      );
    }, timeoutMs).unref();
    try {
      return await Promise.race([body.read(), deadline.promise]);
    } catch (error) {
      if (error instanceof PetstoreError) throw error;
      // The caller hung up, so nobody reads this; it keeps the log right.
      throw new UnreadBodyError('invalid_json', 'The body ended before it was whole.');
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Numbers arrive exact. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(utf8.decode(bytes));
  } catch {
    throw new PetstoreError('invalid_json', 'The body is not valid JSON in UTF-8.');
  }
}

// A byte order mark stays in the text, where JSON.parse refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class ArrivingBody {
  readonly #request: Request;
  /** True from the moment the body is known to be refused, whatever else arrives. */
  isTooLarge = false;

  constructor(request: Request) {
    this.#request = request;
  }

  async read(): Promise<Uint8Array> {
    const length = this.#request.headers.get('Content-Length');
    this.isTooLarge = Number(length) > maxBodyBytes;
    if (Number(length) > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
    return length === null || this.isTooLarge ? this.#readChunks() : this.#request.bytes();
  }

  /** Counts the bytes as they arrive. Once there are too many, it keeps none of them. */
  async #readChunks(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.#request.body ?? []) {
      length += chunk.byteLength;
      if (length > maxBodyBytes) this.isTooLarge = true;
      if (length > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
      if (this.isTooLarge) chunks.length = 0;
      else chunks.push(chunk);
    }
    if (this.isTooLarge) throw tooLarge(PetstoreError);
    return Buffer.concat(chunks);
  }
}

function tooLarge(Kind: typeof PetstoreError): PetstoreError {
  return new Kind('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`);
}
