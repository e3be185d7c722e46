import { PetstoreError } from '../error.ts';
import { parseExactJson } from '../int64.ts';
import { createDeadline } from './deadline.ts';

export const maxBodyBytes = 64 * 1024;

/**
 * How much of a body that is too large is taken in and thrown away. A connection that closes before its caller has sent
 * everything is reset, and callers that write before they read would never see their 413.
 */
export const maxDiscardedBytes = 16 * 1024 * 1024;

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i;

/** Something is wrong before the whole body was read; the rest of it is not, so its connection ends here. */
export class UnreadBodyError extends PetstoreError {}

/** Reads a body that is to be JSON, checking media type and size in this order. What the headers tell is thrown at once. */
export type ReadBody = (request: Request) => Promise<Uint8Array>;

/** A body that trickles in is never idle, so nothing but its own deadline would end it. */
export function createBodyReader(timeoutMs: number): ReadBody {
  const deadline = createDeadline(timeoutMs);
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
  const late = (): PetstoreError => new UnreadBodyError('invalid_json', message);

  return (request) => {
    if (!jsonMediaType.test(request.headers.get('Content-Type')?.trim() ?? '')) {
      throw new PetstoreError(
        'unsupported_media_type',
        'The body must be sent as "Content-Type: application/json" in UTF-8.',
      );
    }
    const body = new ArrivingBody(request);
    const arriving = body.read();
    // One promise instead of a chain of four: with the one that `Writer.run` saves, 2 % of a create.
    return new Promise((resolve, reject) => {
      const waiting = deadline.begin(() => reject(body.isTooLarge ? tooLarge(UnreadBodyError) : late()));
      arriving.then(
        (bytes) => {
          deadline.end(waiting);
          resolve(bytes);
        },
        (error: unknown) => {
          deadline.end(waiting);
          reject(explainUnread(error));
        },
      );
    });
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

  read(): Promise<Uint8Array> {
    const length = this.#request.headers.get('Content-Length');
    this.isTooLarge = Number(length) > maxBodyBytes;
    if (Number(length) > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
    return length === null || this.isTooLarge ? this.#readChunks() : this.#request.bytes();
  }

  /** Counted as it arrives; once it is too large, nothing is kept of it. */
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

/** A caller who hangs up in the middle is nobody's bug; the answer goes nowhere, but the log tells it right. */
function explainUnread(error: unknown): PetstoreError {
  if (error instanceof PetstoreError) return error;
  return new UnreadBodyError('invalid_json', 'The body ended before it was whole.');
}

function tooLarge(Kind: typeof PetstoreError): PetstoreError {
  return new Kind('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`);
}
