import { readDeprecation, type DeprecationNotice } from './deprecation.ts';
import { isServiceErrorCode, PetstoreClientError } from './error.ts';
import { parseExactJson } from './exact-json.ts';
import type { ClientOptions, Fetch } from './options.ts';
import { createUuid } from './uuid.ts';
import { backoffMs, parseRetryAfter, pause } from './wait.ts';

/** A call that may be repeated: a read, or a create that carries its idempotency key. */
export interface Call {
  operation: DeprecationNotice['operation'];
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
}

/** A 2xx answer, read to its end. */
export interface Answer {
  headers: Headers;
  /** The parsed body; undefined when it was not JSON. */
  body: unknown;
  requestId: string;
}

export type Send = (call: Call) => Promise<Answer>;

/** Makes the function that sends a call, repeats it where that may help, and fails with {@link PetstoreClientError}. */
export function createSend(options: ClientOptions): Send {
  const {
    apiKey,
    timeoutMs = 10_000,
    retryForMs = 60_000,
    retryDelayMs = 250,
    maxRetryAfterMs = 30_000,
  } = options;
  // Read at each call and called as a method: a browser's fetch refuses to be called by another object.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const reportDeprecation = createReporter(options.onDeprecation);

  const attempt = async (call: Call, requestId: string): Promise<Answer> => {
    const { status, headers, text } = await exchange(call, requestId);
    reportDeprecation(call, headers);
    const body = tryParse(text);
    if (status >= 200 && status < 300) return { headers, body, requestId };
    throw toError({ status, headers, body, requestId });
  };

  const exchange = async ({ method, url, body, ...call }: Call, requestId: string): Promise<Exchange> => {
    const { signal, ...limit } = limitTime(timeoutMs, call.signal);
    const headers = { ...call.headers, Authorization: `Bearer ${apiKey}`, 'X-Request-Id': requestId };
    try {
      const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      call.signal?.throwIfAborted();
      throw limit.isExpired()
        ? new PetstoreClientError('timeout', `No answer within ${timeoutMs} ms.`, { requestId, cause })
        : new PetstoreClientError('network', 'The service cannot be reached.', { requestId, cause });
    } finally {
      limit.lift();
    }
  };

  return async (call) => {
    // One id for all attempts: under it the service's log tells the whole story.
    const requestId = createUuid();
    const endsAt = performance.now() + retryForMs;
    for (let failures = 0; ; failures++) {
      call.signal?.throwIfAborted();
      try {
        // oxlint-disable-next-line no-await-in-loop -- an attempt follows the failure of the one before
        return await attempt(call, requestId);
      } catch (error) {
        if (!isWorthRepeating(error) || (error.retryAfterMs ?? 0) > maxRetryAfterMs) throw error;
        const pauseMs = backoffMs(failures, retryDelayMs, error.retryAfterMs);
        if (performance.now() + pauseMs > endsAt) throw error;
        // oxlint-disable-next-line no-await-in-loop -- the same
        await pause(pauseMs, call.signal);
      }
    }
  };
}

interface Exchange {
  status: number;
  headers: Headers;
  text: string;
}

/** 502 and 504 are what a proxy says when the service behind it has gone away for a moment. */
const passingStatuses = [429, 502, 503, 504];

function isWorthRepeating(error: unknown): error is PetstoreClientError {
  if (!(error instanceof PetstoreClientError)) return false;
  return error.status === undefined || passingStatuses.includes(error.status);
}

function toError(answer: Omit<Exchange, 'text'> & { body: unknown; requestId: string }): PetstoreClientError {
  const { status, headers, body } = answer;
  const { code, message } =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const details = {
    status,
    requestId: headers.get('X-Request-Id') ?? answer.requestId,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After'), Date.now()),
  };
  return isServiceErrorCode(code) && typeof message === 'string'
    ? new PetstoreClientError(code, message, details)
    : new PetstoreClientError(
        'unexpected_response',
        `Something else answered, with status ${status}.`,
        details,
      );
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Aborts after a time or with the caller's signal, whichever comes first. */
function limitTime(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let isExpired = false;
  const timer = setTimeout(() => {
    isExpired = true;
    controller.abort();
  }, timeoutMs);
  const follow = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    isExpired: () => isExpired,
    lift() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', follow);
    },
  };
}

function createReporter(onDeprecation: ClientOptions['onDeprecation']) {
  const reported = new Set<string>();
  return ({ operation, url }: Call, headers: Headers): void => {
    if (!onDeprecation || reported.has(operation)) return;
    const notice = readDeprecation(operation, { headers, url });
    if (!notice) return;
    reported.add(operation);
    onDeprecation(notice);
  };
}
