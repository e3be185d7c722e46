import { PetstoreError } from '../domain/error.ts';
import { parseExactJson } from '../domain/int64.ts';
import { maxBodyBytes } from '../domain/pet.ts';

/** How much of an oversized body is read and discarded: closing earlier resets the connection and loses the 413. */
export const maxDiscardedBytes = 16 * 1024 * 1024;

const jsonMediaType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?;?$/i;

/** The body was refused before it was read completely, so its connection must close. */
export class UnreadBodyError extends PetstoreError {}

/** Reads a JSON body and waits until the request may reach the store. */
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

/** Numbers stay exact. Arrays and objects nested deeper than `depth` may come back empty. */
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
  // Invalid bodies are rare, so the parser that locates the error is loaded on demand.
  const { findJsonProblem } = await import('../formats/json.ts');
  const problem = findJsonProblem(text);
  if (problem === undefined) return 'The body is not valid JSON.';
  return `The body is not valid JSON. Line ${problem.line}, column ${problem.column}: ${problem.reason}.`;
}

// A byte order mark stays in the text, where JSON.parse refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A body that trickles in is never idle, so it needs a deadline of its own. */
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
 * The runtime calls a handler while it is still parsing. If it finds a fault after the body, it refuses the message and
 * aborts the request within the same turn of the event loop. A refused request must change nothing, so nothing goes to
 * the store before that turn has ended.
 */
export async function untilParsed(request: Request): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  if (request.signal.aborted) throw callerGone();
}

class ArrivingBody {
  /** True once the body is certain to be refused, whatever else arrives. */
  isTooLarge = false;

  async read(request: Request): Promise<Uint8Array> {
    const length = request.headers.get('Content-Length');
    this.isTooLarge = Number(length) > maxBodyBytes;
    if (Number(length) > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
    return length === null || this.isTooLarge ? this.#readChunks(request) : request.bytes();
  }

  /** Counts bytes as they arrive, and keeps none of them once there are too many. */
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

/** Nobody reads this response, but the log records it. */
function callerGone(): UnreadBodyError {
  return new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.');
}

function tooLarge(Kind: typeof PetstoreError): PetstoreError {
  return new Kind('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`);
}
