import { PetstoreError, type ErrorCode } from '../domain/error.ts';
import { bearerToken, type Authenticate, type Caller } from './auth.ts';
import { conditional } from './conditional.ts';
import type { AddCorsHeaders } from './cors.ts';
import type { LargeResponses } from './large-responses.ts';
import { andThen, orElse, type MaybePromise } from './maybe-promise.ts';
import type { HttpMetrics, ObserveRequest } from './metrics.ts';
import type { Quota, RateLimit } from './rate-limit.ts';
import { shownError, type RequestLog } from './request-log.ts';
import { addHeaders, errorResponse, type PlainResponse } from './response.ts';

export interface Call {
  request: Request;
  caller: Caller;
  /** The last segment of the path, where the path leaves it open. */
  parameter: string | undefined;
}

export type Handler = (call: Call) => MaybePromise<PlainResponse>;
type Methods = Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Handler>>;

/** A path and what it serves. */
export interface Route {
  /** As the contract writes it, for the log: the requested path may hold a secret. */
  path: string;
  methods: Methods;
  /** True for the few paths that need no API key. */
  isOpen?: boolean;
  /** Added to every response of this path, errors included. A response that is kept must bring them itself. */
  headers?: Record<string, string>;
  /** For single methods, in the place of `headers`. */
  methodHeaders?: Partial<Record<keyof Methods, Record<string, string>>>;
}

/** What all endpoints share. */
export interface EndpointOptions {
  authenticate: Authenticate;
  rateLimit: RateLimit | undefined;
  addCorsHeaders: AddCorsHeaders | undefined;
  log: RequestLog;
  metrics: HttpMetrics | undefined;
  isStopping: () => boolean;
  largeResponses: LargeResponses;
  baseHeaders: Record<string, string>;
}

/** One request and what is known about it. */
interface Exchange {
  request: Request;
  method: string;
  path: string;
  parameter: string | undefined;
  requestId: string;
  startedAt: number;
  /** Known once the key is checked. */
  caller: Caller | undefined;
  quota: Quota | undefined;
}

/** Serves the requests of one path. Its methods stand in the order in which a request passes them. */
export class Endpoint {
  readonly #route: Route;
  readonly #options: EndpointOptions;
  readonly #isKnown: boolean;
  readonly #allow: string;
  readonly #observe: ObserveRequest | undefined;
  readonly #headers: Headers;
  readonly #methodHeaders: Map<string, Headers>;

  constructor(route: Route, options: EndpointOptions) {
    const { path, methods, headers = {}, methodHeaders = {} } = route;
    // `Response` copies a `Headers` faster than it builds one.
    const withBase = (own: Record<string, string>) => new Headers({ ...options.baseHeaders, ...own });
    this.#route = route;
    this.#options = options;
    this.#isKnown = Object.keys(methods).length > 0;
    this.#allow = allowedMethods(methods);
    this.#observe = options.metrics?.requestsOf(this.#isKnown ? path : undefined);
    this.#headers = withBase(headers);
    this.#methodHeaders = new Map(Object.entries(methodHeaders).map(([name, own]) => [name, withBase(own)]));
  }

  serve(request: Request, parameter: string | undefined): MaybePromise<Response> {
    const requestId = requestIdOf(request);
    const exchange: Exchange = {
      request,
      method: request.method,
      path: this.#route.path,
      parameter,
      requestId,
      startedAt: performance.now(),
      caller: undefined,
      quota: undefined,
    };
    return orElse(
      () => andThen(this.#handle(exchange), (handled) => this.#send(exchange, conditional(request, handled))),
      (error) => this.#refuse(exchange, error),
    );
  }

  #handle(exchange: Exchange): MaybePromise<PlainResponse> {
    if (exchange.method === 'OPTIONS' && this.#isKnown) {
      return { status: 204, headers: { Allow: this.#allow }, body: null };
    }
    if (this.#route.isOpen) return this.#dispatch(exchange, anybody);
    return andThen(this.#options.authenticate(exchange.request), (caller) => this.#admit(exchange, caller));
  }

  #admit(exchange: Exchange, caller: Caller): MaybePromise<PlainResponse> {
    exchange.caller = caller;
    exchange.quota = this.#options.rateLimit?.(caller.hash);
    if (exchange.quota?.isExceeded) {
      throw new PetstoreError('rate_limited', 'This API key has made too many requests. Try again later.');
    }
    return this.#dispatch(exchange, caller);
  }

  #dispatch({ request, method, parameter }: Exchange, caller: Caller): MaybePromise<PlainResponse> {
    if (!this.#isKnown) throw new PetstoreError('not_found', 'Nothing is found at this address.');
    const { methods } = this.#route;
    const name = method === 'HEAD' ? 'GET' : method;
    const handler = Object.hasOwn(methods, name) ? methods[name as keyof Methods] : undefined;
    if (!handler) return methodNotAllowed(method, this.#allow);
    // By method, so that a new operation that changes something is covered from its first day.
    if (caller.isReadOnly && name !== 'GET') throw readOnlyKey();
    return handler({ request, caller, parameter });
  }

  #refuse(exchange: Exchange, error: unknown): Response {
    const shown = shownError(error, exchange.requestId);
    this.#options.log.failed(exchange, shown, error);
    return this.#send(exchange, errorResponse(shown), shown.code);
  }

  #send(exchange: Exchange, plain: PlainResponse, error?: ErrorCode): Response {
    const { request, method, requestId, quota, startedAt } = exchange;
    const { log, largeResponses, addCorsHeaders, isStopping } = this.#options;
    const { status, body, etag, completeHeaders } = plain;
    const isHead = method === 'HEAD';
    const sentBody = isHead ? null : largeResponses.bodyFor(request, body, etag);
    const durationMs = performance.now() - startedAt;
    log.finished(exchange, plain, durationMs);
    this.#observe?.(method, status, durationMs / 1000, error);
    const headers = completeHeaders ?? this.#methodHeaders.get(method) ?? this.#headers;
    const response = new Response(sentBody, { status, headers });
    const { headers: sent } = response;
    if (!completeHeaders) addHeaders(sent, plain);
    if (body === null) sent.delete('Content-Type');
    sent.set('X-Request-Id', requestId);
    for (const name in quota?.headers) sent.set(name, quota.headers[name] ?? '');
    addCorsHeaders?.(sent, request);
    if (isStopping()) sent.set('Connection', 'close');
    // Without a body, the runtime sends neither the length nor the date.
    if (isHead && body !== null) {
      sent.set('Content-Length', String(Buffer.byteLength(body)));
      sent.set('Date', new Date().toUTCString());
    }
    return response;
  }
}

/** The caller of a path that needs no key. */
const anybody: Caller = { hash: '', name: '', isReadOnly: true };

const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

/** The caller's own id if it is short, safe in a log line, and does not contain the caller's key; otherwise a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('X-Request-Id');
  if (given === null || !saneRequestId.test(given)) return crypto.randomUUID();
  const token = bearerToken(request);
  return token !== undefined && given.includes(token) ? crypto.randomUUID() : given;
}

function allowedMethods(methods: Methods): string {
  const names = Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
  return [...names, 'OPTIONS'].join(', ');
}

function readOnlyKey(): PetstoreError {
  return new PetstoreError(
    'forbidden',
    'This API key is read-only: it may list and fetch, and change nothing.',
  );
}

function methodNotAllowed(method: string, allow: string): PlainResponse {
  const message = `${method} is not allowed here; allowed are ${allow}.`;
  return errorResponse(new PetstoreError('method_not_allowed', message), { Allow: allow });
}
