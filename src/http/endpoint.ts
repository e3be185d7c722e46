import { PetstoreError } from '../domain/error.ts';
import type { Authenticate, Caller } from './authentication.ts';
import type { AddCorsHeaders } from './cors.ts';
import type { MeasureRoute, ObserveRequest } from './http-metrics.ts';
import type { LargeResponses } from './large-responses.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestLog } from './request-log.ts';
import { andThen, type MaybePromise } from '../system/maybe-promise.ts';
import { errorResponse, evaluatePreconditions, type Representation, visibleErrorOf } from './response.ts';
import type { Call, Methods, Route } from './route.ts';

/** What all endpoints share. */
export interface EndpointOptions {
  authenticate: Authenticate;
  rateLimit: RateLimit | undefined;
  addCorsHeaders: AddCorsHeaders | undefined;
  log: RequestLog;
  /** Absent if nothing is measured. */
  measureRoute: MeasureRoute | undefined;
  isStopping: () => boolean;
  /** Absent if the memory for slow readers is unbounded. */
  largeResponses: LargeResponses | undefined;
  baseHeaders: Record<string, string>;
}

/** Serves the requests of one path. Its methods are listed in the order in which a request passes through them. */
export class Endpoint {
  readonly #route: Route;
  readonly #options: EndpointOptions;
  readonly #isKnown: boolean;
  readonly #allow: string;
  readonly #observe: ObserveRequest | undefined;
  /** What responses begin with: `Response` copies a `Headers` faster than it builds one. */
  readonly #headers: Headers;
  readonly #methodHeaders: Map<string, Headers>;

  constructor(route: Route, options: EndpointOptions) {
    const { path, methods, stability = {} } = route;
    const names = Object.keys(methods);
    this.#route = route;
    this.#options = options;
    this.#isKnown = names.length > 0;
    this.#allow = allowedMethods(methods);
    // Leave out open paths: each failure series adds 19 lines to a scrape.
    const failing = route.isOpen ? [] : names;
    this.#observe = options.measureRoute?.(this.#isKnown ? path : undefined, failing);
    const withBase = (own?: Record<string, string>) => new Headers({ ...options.baseHeaders, ...own });
    const marks = Object.entries(stability).map(
      ([name, mark]) => [name, { 'Petstore-Stability': mark }] as const,
    );
    this.#methodHeaders = new Map(marks.map(([name, mark]) => [name, withBase(mark)]));
    // If every method carries a mark, responses to unsupported methods carry it too.
    const commonMark = marks.length === names.length ? marks[0]?.[1] : undefined;
    this.#headers = withBase(route.headers ?? commonMark);
  }

  serve(request: Request, parameter: string | undefined): MaybePromise<Response> {
    const requestId = requestIdOf(request);
    const call: Call = {
      request,
      method: request.method,
      path: this.#route.path,
      parameter,
      requestId,
      startedAt: performance.now(),
      waitedMs: 0,
      caller: nobody,
      quota: undefined,
    };
    try {
      // Make a promise only if something is awaited: a needless one costs a get or a list 4 to 8 %.
      const result = andThen(this.#callerOf(call), (caller) => this.#handle(call, caller));
      return result instanceof Promise ? this.#sendLater(call, result) : this.#send(call, result);
    } catch (error) {
      return this.#refuse(call, error);
    }
  }

  #callerOf({ request, method }: Call): MaybePromise<Caller> {
    const isOpen = this.#route.isOpen || (method === 'OPTIONS' && this.#isKnown);
    return isOpen ? nobody : this.#options.authenticate(request);
  }

  #handle(call: Call, caller: Caller): MaybePromise<Representation> {
    const { methods, hint = '' } = this.#route;
    if (caller !== nobody) {
      call.caller = caller;
      call.quota = this.#options.rateLimit?.(caller.hash);
      if (call.quota?.isExceeded)
        throw new PetstoreError('rate_limited', 'This API key has made too many requests. Try again later.');
    }
    if (call.method === 'OPTIONS' && this.#isKnown)
      return { body: null, status: 204, headers: { Allow: this.#allow } };
    if (!this.#isKnown) throw new PetstoreError('not_found', `There is nothing at this address.${hint}`);
    const name = call.method === 'HEAD' ? 'GET' : call.method;
    const handler = Object.hasOwn(methods, name) ? methods[name as keyof Methods] : undefined;
    if (!handler) {
      const message = `${call.method} is not allowed here; allowed are ${this.#allow}.`;
      return errorResponse(new PetstoreError('method_not_allowed', message), { Allow: this.#allow });
    }
    // Check the HTTP method, so that every new operation that changes something is covered from the start.
    if (caller.isReadOnly && name !== 'GET') throw forbidden('is read-only: it may only list and fetch.');
    if (!caller.mayDelete && name === 'DELETE')
      throw forbidden('may not delete. Use one that may, or ask whoever runs the service to delete it.');
    return handler(call);
  }

  async #sendLater(call: Call, result: Promise<Representation>): Promise<Response> {
    try {
      return this.#send(call, await result);
    } catch (error) {
      return this.#refuse(call, error);
    }
  }

  #send(call: Call, result: Representation): Response {
    const { request, method, requestId, quota, startedAt, waitedMs } = call;
    const { log, largeResponses, addCorsHeaders, isStopping } = this.#options;
    const representation = evaluatePreconditions(request, result);
    const { body, status = 200, code, etag, link, headers: ownHeaders } = representation;
    const isHead = method === 'HEAD';
    const responseBody = isHead ? null : body;
    if (responseBody !== null) largeResponses?.add(request, responseBody);
    const durationMs = performance.now() - startedAt - waitedMs;
    log.recordResponse(call, representation, durationMs);
    this.#observe?.(method, status, durationMs / 1000, code);
    const response = new Response(responseBody, {
      status,
      headers: this.#methodHeaders.get(method) ?? this.#headers,
    });
    const { headers } = response;
    if (etag !== undefined) {
      headers.set('ETag', etag);
      // Callers may keep what has an ETag if they revalidate it.
      headers.set('Cache-Control', 'private, no-cache');
    }
    if (link !== undefined) headers.set('Link', link);
    for (const name in ownHeaders) headers.set(name, ownHeaders[name] ?? '');
    if (body === null) headers.delete('Content-Type');
    headers.set('X-Request-Id', requestId);
    for (const name in quota?.headers) headers.set(name, quota.headers[name] ?? '');
    addCorsHeaders?.(headers, request);
    if (isStopping()) headers.set('Connection', 'close');
    // Without a body, the runtime sends neither Content-Length nor Date.
    if (isHead && body !== null) {
      headers.set('Content-Length', String(Buffer.byteLength(body)));
      headers.set('Date', new Date().toUTCString());
    }
    return response;
  }

  #refuse(call: Call, error: unknown): Response {
    const visibleError = visibleErrorOf(error, call.requestId);
    this.#options.log.recordFailure(call, visibleError, error);
    return this.#send(call, errorResponse(visibleError));
  }
}

/** The caller of a request without a valid key, or to a path that needs none. */
const nobody: Caller = { hash: '', name: '', isReadOnly: true, mayDelete: false };

const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

/** The caller's own id if it is short, safe to log and reveals nothing of the key; otherwise a new one. */
export function requestIdOf({ headers }: Request): string {
  const id = headers.get('X-Request-Id');
  const isSafe = id !== null && saneRequestId.test(id) && !revealsKey(id, headers.get('Authorization') ?? '');
  return isSafe ? id : crypto.randomUUID();
}

/** Eight characters of a key are too many for a log. */
const revealingLength = 8;

function revealsKey(id: string, authorization: string): boolean {
  // A key may have been sent without its scheme, twice, in quotes, or after a colon.
  const keys = authorization.split(/[^\w.~+/=-]+/).filter((word) => !/^(?:bearer)?$/i.test(word));
  return keys.some((key) => id.includes(key) || (id.length >= revealingLength && key.includes(id)));
}

function allowedMethods(methods: Methods): string {
  const names = Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
  return [...names, 'OPTIONS'].join(', ');
}

function forbidden(reason: string): PetstoreError {
  return new PetstoreError('forbidden', `This API key ${reason}`);
}
