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
  const reading = readBytes(request);
  // It may fail before it is awaited, or never be awaited.
  reading.catch(() => {});
  await untilParsed(request);
  // Most bodies have arrived by now, and need no timer.
  if (Bun.peek.status(reading) === 'pending') {
    await readWithin(timeoutMs, reading);
    await untilParsed(request);
  }
  return reading;
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
  const { findJsonProblem } = await import('./json-problem.ts');
  const problem = findJsonProblem(text);
  if (problem === undefined) return 'The body is not valid JSON.';
  return `The body is not valid JSON. Line ${problem.line}, column ${problem.column}: ${problem.reason}.`;
}

// A byte order mark stays in the text, where JSON.parse refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const late = 'The body took too long to arrive. Send the request again.';

/** A body that trickles in is never idle, so it needs a deadline of its own. */
async function readWithin(timeoutMs: number, reading: Promise<Uint8Array>): Promise<void> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => deadline.reject(new UnreadBodyError('request_timeout', late)),
    timeoutMs,
  ).unref();
  try {
    await Promise.race([reading, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The runtime calls a handler while it is still parsing. If it finds a fault after the body, it refuses the message and
 * aborts the request within the same turn of the event loop. A refused request must not change anything, so
 * wait for the end of that turn before calling the store.
 */
export async function untilParsed(request: Request): Promise<void> {
  await endOfTurn();
  if (request.signal.aborted) throw callerGone();
}

let turn: Promise<void> | undefined;

/** All requests of a turn share one wait: an immediate for each would take longer than reading the body. */
function endOfTurn(): Promise<void> {
  return (turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  }));
}

async function readBytes(request: Request): Promise<Uint8Array> {
  try {
    const length = request.headers.get('Content-Length');
    if (length !== null && Number(length) <= maxBodyBytes) return await request.bytes();
    if (Number(length) > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
    return await readChunks(request);
  } catch (error) {
    throw error instanceof PetstoreError ? error : callerGone();
  }
}

/** Counts bytes as they arrive, and does not keep those past the limit. */
async function readChunks({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of body ?? []) {
    count += chunk.byteLength;
    if (count <= maxBodyBytes) chunks.push(chunk);
    if (count > maxDiscardedBytes) throw tooLarge(UnreadBodyError);
  }
  if (count > maxBodyBytes) throw tooLarge(PetstoreError);
  return Buffer.concat(chunks);
}

/** Nobody reads this response, but the log records it. */
function callerGone(): UnreadBodyError {
  return new UnreadBodyError('invalid_json', 'The connection ended before the request was whole.');
}

function tooLarge(Kind: typeof PetstoreError): PetstoreError {
  return new Kind('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`);
}
