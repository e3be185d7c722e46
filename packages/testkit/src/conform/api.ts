/** A request to the service under test. */
export interface ApiRequest {
  method?: string;
  /** Relative to the base URL, such as `/pets?limit=1`. */
  path: string;
  /** The path is relative to the base URL without `/v1`, such as `/openapi.json` and `/v1/pets`. */
  isOutsideBase?: boolean;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** The `Authorization` header: null for none. Defaults to the valid key. */
  authorization?: string | null;
}

/** A request and its response. The body stays text, because a JavaScript number would lose digits. */
export interface Exchange {
  request: ApiRequest;
  status: number;
  headers: Headers;
  /** Invalid UTF-8 shows as U+FFFD. */
  text: string;
}

/** The service under test, accessible only through requests. */
export interface Api {
  apiKey: string;
  /** The only category that is sure to exist, as JSON; if undefined, every int64 is valid. */
  categoryId: string | undefined;
  /** Marks the pets of this run. */
  runId: string;
  send(request: ApiRequest): Promise<Exchange>;
  /** How many pets this run created. */
  readonly createdCount: number;
  /** How many requests were refused with 429. */
  readonly rateLimitedCount: number;
}

export interface ApiOptions {
  /** With or without `/v1` at its end. */
  url: string;
  /** The base URL is `url` itself, even if `/v1` is missing. */
  isBase?: boolean | undefined;
  apiKey: string;
  categoryId?: string | undefined;
  /** Sends a request. Tests call the service without a socket. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  timeoutMs?: number;
}

/** The service did not respond. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly request: ApiRequest;

  constructor(request: ApiRequest, cause: unknown) {
    // Node's fetch says only "fetch failed", and why in its cause.
    super('The service did not respond.', { cause: (cause instanceof Error && cause.cause) || cause });
    this.request = request;
  }
}

export function createApi(options: ApiOptions): Api {
  const { url, isBase, apiKey, categoryId, fetch: sendRequest = fetch, timeoutMs = 10_000 } = options;
  const base = baseAddressOf(url, isBase);
  const root = base.endsWith(versionPath) ? base.slice(0, -versionPath.length) : base;
  const addressOf = ({ path, isOutsideBase = false }: ApiRequest): string =>
    isOutsideBase ? path.replace(/^(\/v1(?=[/?]|$))?/, (prefix) => (prefix ? base : root)) : base + path;
  let createdCount = 0;
  let rateLimitedCount = 0;
  const send = async (request: ApiRequest): Promise<Exchange> => {
    const { method = 'GET', body, authorization = `Bearer ${apiKey}` } = request;
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
      const response = await sendRequest(addressOf(request), init);
      const text = await response.text();
      const isCreate = method === 'POST' && response.status === 201;
      if (isCreate && !response.headers.has('Idempotent-Replayed')) createdCount += 1;
      if (response.status === 429) rateLimitedCount += 1;
      return { request, status: response.status, headers: response.headers, text };
    } catch (error) {
      throw new NoResponseError(request, error);
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

/** Sends independent requests all at once, because the service may be far away. */
export function sendAll(api: Api, requests: ApiRequest[]): Promise<Exchange[]> {
  return Promise.all(requests.map((request) => api.send(request)));
}

/** Repeats a request with each of these `Authorization` headers. */
export function withEach(request: ApiRequest, credentials: (string | null)[]): ApiRequest[] {
  return credentials.map((authorization) => Object.assign({}, request, { authorization }));
}

const versionPath = '/v1';

/** The contract's base URL ends in `/v1`; appends it if it is missing, unless `url` is the base itself. */
export function baseAddressOf(url: string, isBase = false): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path}${isBase || path.endsWith(versionPath) ? '' : versionPath}`;
}
