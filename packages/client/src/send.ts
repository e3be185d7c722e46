import { readDeprecation, type Operation } from './deprecation.ts';
import { isServiceErrorCode, PetstoreClientError } from './error.ts';
import { parseExactJson } from './exact-json.ts';
import type { ClientOptions, Fetch } from './options.ts';
import { createUuid } from './uuid.ts';
import { backoffMs, parseRetryAfter, pause } from './wait.ts';

/** A call that is safe to retry: a read, or a create with its idempotency key. Others say so in `onUncertain`. */
export interface Call {
  operation: Operation;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
  /** Called after an attempt that the service may have carried out although it failed. To prevent a retry, throw. */
  onUncertain?: (error: PetstoreClientError) => void;
}

/** Sends a call, retries it where that may help, and fails with a {@link PetstoreClientError}. */
export type Send = (call: Call) => Promise<ApiResponse>;

/** A 2xx response with its whole body. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed body; undefined when it is not JSON. */
  body: unknown;
  requestId: string;
  /** Where it came from, for messages. */
  address: string;
}

export function createSend(options: ClientOptions): Send {
  const {
    apiKey,
    timeoutMs = 10_000,
    retryForMs = 60_000,
    retryDelayMs = 250,
    maxRetryAfterMs = 30_000,
  } = options;
  // Not `globalThis.fetch` itself: a browser's fetch throws when it is called as a method of another object.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const reportDeprecation = createReporter(options.onDeprecation);

  const attempt = async (call: Call, requestId: string): Promise<ApiResponse> => {
    const { response, text } = await exchange(call, requestId);
    reportDeprecation(call, response.headers);
    const body = tryParse(text);
    const address = addressOf(call.url);
    if (response.ok) {
      return { status: response.status, headers: response.headers, body, requestId, address };
    }
    throw toError(response, body, requestId, address);
  };

  const exchange = async ({ method, url, body, ...call }: Call, requestId: string) => {
    const { signal, ...limit } = limitTime(timeoutMs, call.signal);
    const headers = { ...call.headers, Authorization: `Bearer ${apiKey}`, 'X-Request-Id': requestId };
    try {
      const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) });
      return { response, text: await response.text() };
    } catch (cause) {
      call.signal?.throwIfAborted();
      throw limit.isExpired()
        ? new PetstoreClientError('timeout', `No response from ${addressOf(url)} within ${timeoutMs} ms.`, {
            requestId,
            cause,
          })
        : new PetstoreClientError('network', `${addressOf(url)} cannot be reached.`, { requestId, cause });
    } finally {
      limit.lift();
    }
  };

  return async (call) => {
    // One id for all attempts, so that the service's log shows them together.
    const requestId = createUuid();
    const endsAt = performance.now() + retryForMs;
    for (let failures = 0; ; failures++) {
      call.signal?.throwIfAborted();
      try {
        return await attempt(call, requestId);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (!hadNoEffect(error)) call.onUncertain?.(error);
        if ((error.retryAfterMs ?? 0) > maxRetryAfterMs) throw error;
        const pauseMs = backoffMs(failures, retryDelayMs, error.retryAfterMs);
        if (performance.now() + pauseMs > endsAt) throw error;
        await pause(pauseMs, call.signal);
      }
    }
  };
}

/** A proxy sends 502 and 504 while the service behind it is briefly gone. */
const temporaryStatuses = [429, 502, 503, 504];

function isRetryable(error: unknown): error is PetstoreClientError {
  if (!(error instanceof PetstoreClientError)) return false;
  return error.status === undefined || temporaryStatuses.includes(error.status);
}

/** The service refuses with these codes before it does anything. `unavailable` may hide a commit. */
function hadNoEffect({ code }: PetstoreClientError): boolean {
  return code === 'rate_limited' || code === 'overloaded';
}

function toError(
  { status, headers }: Response,
  body: unknown,
  sentId: string,
  address: string,
): PetstoreClientError {
  const { code, message } = (typeof body === 'object' && body ? body : {}) as Record<string, unknown>;
  const requestId = headers.get('X-Request-Id') ?? sentId;
  const retryAfterMs = parseRetryAfter(headers.get('Retry-After'), Date.now());
  return isServiceErrorCode(code) && typeof message === 'string'
    ? new PetstoreClientError(code, message, { status, requestId, retryAfterMs })
    : new PetstoreClientError(
        'unexpected_response',
        `The response of ${address}, with status ${status}, does not come from this API.`,
        { status, requestId, retryAfterMs },
      );
}

/** Fails because of a 2xx response that makes no sense. */
export function unexpectedResponse({ requestId, address, status }: ApiResponse): never {
  const message = `The response of ${address} does not come from this API.`;
  throw new PetstoreClientError('unexpected_response', message, { requestId, status });
}

/** The address without its query, which may be long or private. */
function addressOf(url: string): string {
  return url.replace(/[?#].*$/, '');
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** A signal that aborts after a time or with the caller's signal, whichever comes first. */
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
