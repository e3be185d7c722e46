import { PetstoreError } from '../domain/error.ts';
import { parseExactJson } from '../domain/int64.ts';
import { maxBodyBytes } from '../domain/pet.ts';

/** How much of a too large body is read and discarded: closing earlier resets the connection and loses the 413. */
export const maxDiscardedBytes = 16 * 1024 * 1024;

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i;

/** The body was refused before all of it was read, so its connection must close. */
export class UnreadBodyError extends PetstoreError {}

/** The runtime ignores an empty transfer coding (`, chunked`). A proxy that reads it otherwise sees other messages. */
export function isMisframed({ headers }: Request): boolean {
  const coding = headers.get('Transfer-Encoding');
  return coding !== null && coding.toLowerCase() !== 'chunked';
}

/** Reads a JSON body and waits until its request may be handed over to the store. */
export async function readBody(request: Request, timeoutMs: number): Promise<Uint8Array> {
  if (!jsonMediaType.test(request.headers.get('Content-Type')?.trim() ?? '')) {
    throw new PetstoreError(
      'unsupported_media_type',
      'The body must be sent as "Content-Type: application/json" in UTF-8.',
    );
  }
  const bytes = await readWithin(timeoutMs, request);
  await untilParsed(request);
  return bytes;
}

/** Numbers arrive exact. Arrays and objects nested deeper than `depth` may arrive empty. */
export async function parseJsonBody(bytes: Uint8Array, depth = 1): Promise<unknown> {
  let text: string | undefined;
  try {
    text = utf8.decode(bytes);
    return parseExactJson(text, depth);
  } catch {
    throw new PetstoreError(
      'invalid_json',
      text === undefined ? 'The body is not valid UTF-8.' : await notJson(text),
    );
  }
}

async function notJson(text: string): Promise<string> {
  // Few bodies are wrong, so the parser that finds the position is loaded when the first one is.
  const { findJsonProblem } = await import('../formats/json-problem.ts');
  const problem = findJsonProblem(text);
  if (problem === undefined) return 'The body is not valid JSON.';
  return `The body is not valid JSON. Line ${problem.line}, column ${problem.column}: ${problem.reason}.`;
}

// A byte order mark stays in the text, where JSON.parse refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A body that trickles in is never idle, so only a deadline of its own ends it. */
async function readWithin(timeoutMs: number, request: Request): Promise<Uint8Array> {
  const body = new ArrivingBody();
  const late = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(body.isTooLarge ? tooLarge(UnreadBodyError) : new UnreadBodyError('invalid_json', late));
  }, timeoutMs).unref();
  try {
    return await Promise.race([body.read(request), deadline.promise]);
  } catch (error) {
    throw error instanceof PetstoreError ? error : callerGone();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The runtime calls a handler while it still parses what arrived. If it finds a fault behind the body, it refuses the
 * message and aborts the request within the same turn of the event loop. A caller who is told so must not find the change
 * made, so nothing goes to the store before the turn has ended.
 */
export async function untilParsed(request: Request): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  if (request.signal.aborted) throw callerGone();
}

class ArrivingBody {
  /** True from the moment the body is known to be refused, whatever else arrives. */
  isTooLarge = false;

  async read(request: Request): Promise<Uint8Array> {
    const length = request.headers.get('Content-Length');
    this.isTooLarge = Number(length) > maxBodyBytes;
    if (Number(length) > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
    return length === null || this.isTooLarge ? this.#readChunks(request) : request.bytes();
  }

  /** Counts the bytes as they arrive. Once there are too many, it keeps none of them. */
  async #readChunks(request: Request): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request.body ?? []) {
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

/** Nobody reads this response; it keeps the log right. */
function callerGone(): UnreadBodyError {
  return new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.');
}

function tooLarge(Kind: typeof PetstoreError): PetstoreError {
  return new Kind('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`);
}
