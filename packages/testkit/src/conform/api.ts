import { hideInAuthorization } from './redact.ts';

/** A request to the service under test. */
export interface ApiRequest {
  method?: string;
  /** Relative to the base address, such as `/pets?limit=1`. */
  path: string;
  /** The path is relative to what precedes `/v1` in the base address, such as `/openapi.json`. */
  isOutsideBase?: boolean;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** The `Authorization` header: null for none, otherwise the valid key. */
  authorization?: string | null;
}

/** A request and its response. The body stays text: a JavaScript number would lose digits. */
export interface Exchange {
  /** Without the key in `authorization`: it is shown. */
  request: ApiRequest;
  status: number;
  headers: Headers;
  /** Invalid UTF-8 shows as U+FFFD. */
  text: string;
}

/** The service under test, reachable by requests alone. */
export interface Api {
  apiKey: string;
  /** The only category that must exist, as JSON; without it, every int64 is one. */
  categoryId: string | undefined;
  /** Tells the pets of this run from others. */
  runId: string;
  send(request: ApiRequest): Promise<Exchange>;
  /** How many pets this run created. */
  readonly createdCount: number;
  /** How many requests were refused because there were too many (429). */
  readonly rateLimitedCount: number;
}

export interface ApiOptions {
  /** With or without `/v1` at its end. */
  url: string;
  apiKey: string;
  categoryId?: string | undefined;
  /** Sends a request; the tests call the service without a socket. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  timeoutMs?: number;
}

/** The service did not respond. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly request: ApiRequest;

  constructor(request: ApiRequest, cause: unknown) {
    super('The service did not respond.', { cause });
    this.request = request;
  }
}

export function createApi(options: ApiOptions): Api {
  const { url, apiKey, categoryId, fetch: sendRequest = fetch, timeoutMs = 10_000 } = options;
  const base = baseAddressOf(url);
  const root = base.slice(0, -versionPath.length);
  let createdCount = 0;
  let rateLimitedCount = 0;
  const send = async (request: ApiRequest): Promise<Exchange> => {
    const { method = 'GET', path, isOutsideBase = false, body, authorization = `Bearer ${apiKey}` } = request;
    const visibleRequest = request.authorization
      ? { ...request, authorization: hideInAuthorization(request.authorization, apiKey) }
      : request;
    const headers = new Headers({ Accept: 'application/json', ...request.headers });
    if (authorization !== null) headers.set('Authorization', authorization);
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body }),
    };
    try {
      const response = await sendRequest(`${isOutsideBase ? root : base}${path}`, init);
      const text = await response.text();
      if (response.status === 201 && !response.headers.has('Idempotent-Replayed')) createdCount += 1;
      if (response.status === 429) rateLimitedCount += 1;
      return { request: visibleRequest, status: response.status, headers: response.headers, text };
    } catch (error) {
      throw new NoResponseError(visibleRequest, error);
    }
  };
  return {
    apiKey,
    categoryId,
    runId: crypto.randomUUID().slice(0, 8),
    send,
    get createdCount() {
      return createdCount;
    },
    get rateLimitedCount() {
      return rateLimitedCount;
    },
  };
}

/** Sends requests that do not depend on each other, all at once: the service may be far away. */
export function sendAll(api: Api, requests: ApiRequest[]): Promise<Exchange[]> {
  return Promise.all(requests.map((request) => api.send(request)));
}

/** The same request with each of these `Authorization` headers. */
export function withEach(request: ApiRequest, credentials: (string | null)[]): ApiRequest[] {
  return credentials.map((authorization) => Object.assign({}, request, { authorization }));
}

const versionPath = '/v1';

/** The contract's base address ends in `/v1`; an address without it gets it. */
export function baseAddressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path}${path.endsWith(versionPath) ? '' : versionPath}`;
}
