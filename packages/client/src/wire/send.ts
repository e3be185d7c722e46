import { readDeprecation, type Operation } from '../deprecation.ts';
import { PetstoreClientError, serviceErrorCodes } from '../error.ts';
import { fieldsOf, parseExactJson } from './json.ts';
import type { ClientOptions, Fetch } from '../options.ts';
import { createUuid } from './uuid.ts';
import { backoffMs, parseRetryAfter, pause } from './wait.ts';

/** A call that is safe to retry: a read, or a create with its idempotency key. Any other call sets `onUncertain`. */
export interface Call {
  operation: Operation;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
  /** Called after a failed attempt that the service may have carried out. Throw to prevent a retry. */
  onUncertain?: (error: PetstoreClientError) => void;
  /** Turns an error of the service into the one to fail with. */
  explain?: (error: PetstoreClientError, headers: Headers) => PetstoreClientError;
  /** For a call that follows events: how long the service may wait. It is retried until its signal aborts. */
  waitMs?: number;
}

/** Sends a call, retries it if that may help, and fails with a {@link PetstoreClientError}. */
export type Send = (call: Call) => Promise<ApiResponse>;

/** A 2xx response with its whole body. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  body: unknown;
  requestId: string;
  /** The URL of the response, for messages. */
  address: string;
}

export function createSend(options: ClientOptions): Send {
  const {
    apiKey,
    timeoutMs = 10_000,
    retryForMs = 60_000,
    retryDelayMs = 250,
    maxRetryAfterMs = 30_000,
    waitForRateLimit = false,
  } = options;
  // Wrapped, because a browser's fetch throws if it is called as a method of another object.
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
    const error = toError(response, body, requestId, address);
    throw call.explain?.(error, response.headers) ?? error;
  };

  const exchange = async ({ method, url, body, waitMs = 0, ...call }: Call, requestId: string) => {
    const limitMs = timeoutMs + waitMs;
    const { signal, ...limit } = limitTime(limitMs, call.signal);
    const headers = { ...call.headers, Authorization: `Bearer ${apiKey}`, 'X-Request-Id': requestId };
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        ...(body !== undefined && { body }),
        // A redirect would send the pet and the key to an address that nobody chose.
        ...(method !== 'GET' && { redirect: 'manual' }),
      });
      return { response, text: await response.text() };
    } catch (cause) {
      call.signal?.throwIfAborted();
      const address = addressOf(url);
      const details = { requestId, cause };
      if (limit.isExpired())
        throw new PetstoreClientError(
          'timeout',
          `No response from ${address} within ${limitMs} ms.`,
          details,
        );
      const origin = await findRefusedOrigin(fetch, address, signal);
      if (origin !== undefined)
        throw new PetstoreClientError(
          'origin_not_allowed',
          `${address} responds, but probably not to pages of ${origin}. Its operator allows them with ALLOWED_ORIGINS.`,
          details,
        );
      throw new PetstoreClientError('network', `${address} cannot be reached.`, details);
    } finally {
      limit.lift();
    }
  };

  return async (call) => {
    // One id for all attempts, so that the service's log shows them together.
    const requestId = createUuid();
    const followsEvents = call.waitMs !== undefined && retryForMs > 0;
    let endsAt = followsEvents ? Infinity : performance.now() + retryForMs;
    for (let failures = 0; ; failures++) {
      call.signal?.throwIfAborted();
      try {
        return await attempt(call, requestId);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (!hadNoEffect(error)) call.onUncertain?.(error);
        const { retryAfterMs = 0 } = error;
        const isLimited = waitForRateLimit && error.code === 'rate_limited';
        const isEndless = followsEvents || isLimited;
        if (retryAfterMs > maxRetryAfterMs && !isEndless) throw error;
        const pauseMs = backoffMs(failures, retryDelayMs, Math.min(retryAfterMs, maxRetryAfterMs));
        // The service responds, so the time for retries begins anew.
        if (isLimited) endsAt = performance.now() + pauseMs + retryForMs;
        else if (performance.now() + pauseMs > endsAt) throw error;
        await pause(pauseMs, call.signal);
      }
    }
  };
}

/** A proxy sends 502 or 504 while the service behind it is briefly unavailable. */
const temporaryStatuses = [408, 429, 502, 503, 504];

function isRetryable(error: unknown): error is PetstoreClientError {
  if (!(error instanceof PetstoreClientError)) return false;
  const { code, status = 0 } = error;
  return code === 'network' || code === 'timeout' || temporaryStatuses.includes(status);
}

/** The service refuses with these codes before it does anything. `unavailable` may hide a commit. */
function hadNoEffect({ code }: PetstoreClientError): boolean {
  return code === 'request_timeout' || code === 'rate_limited' || code === 'overloaded';
}

/**
 * The origin of this page, if the service refuses it. To a page, a refused preflight looks like a lost connection. The
 * origin is refused if a request without headers gets a response (no-cors) that the page may not read (cors).
 */
async function findRefusedOrigin(
  fetch: Fetch,
  address: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const page = (globalThis as { location?: { href: string; origin: string } }).location;
  if (!page || new URL(address, page.href).origin === page.origin) return undefined;
  const getsResponse = (mode: 'cors' | 'no-cors') =>
    fetch(address, { method: 'GET', headers: {}, mode, signal }).then(
      () => true,
      () => false,
    );
  return (await getsResponse('no-cors')) && !(await getsResponse('cors')) ? page.origin : undefined;
}

function toError(
  { status, headers, type }: Response,
  body: unknown,
  sentId: string,
  address: string,
): PetstoreClientError {
  const { code, message } = fieldsOf(body);
  const serviceCode = serviceErrorCodes.find((each) => each === code);
  const requestId = headers.get('X-Request-Id') ?? sentId;
  const retryAfterMs = parseRetryAfter(headers.get('Retry-After'), Date.now());
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return new PetstoreClientError(
      'unexpected_response',
      `${address} redirects, and the client does not send a change to another address. Set baseUrl to the address that it redirects to.`,
      // Browsers hide the status of a redirect.
      { status: status === 0 ? undefined : status, requestId },
    );
  return serviceCode !== undefined && typeof message === 'string'
    ? new PetstoreClientError(serviceCode, message, { status, requestId, retryAfterMs })
    : new PetstoreClientError(
        'unexpected_response',
        `The response of ${address}, with status ${status}, does not come from this API.`,
        { status, requestId, retryAfterMs },
      );
}

/** Reads a pet or a category from a response, and its ETag, which a proxy may have removed. */
export function withEtag<Item>(
  response: ApiResponse,
  toItem: (body: unknown) => Item | undefined,
): Item & { etag?: string } {
  const item = toItem(response.body) ?? unexpectedResponse(response);
  const etag = response.headers.get('ETag');
  return etag === null ? item : { ...item, etag };
}

/** Throws because a 2xx response makes no sense. */
export function unexpectedResponse({ requestId, address, status }: ApiResponse): never {
  const message = `The response of ${address} does not come from this API.`;
  throw new PetstoreClientError('unexpected_response', message, { requestId, status });
}

/** The URL without its query, which may be long or private. */
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
