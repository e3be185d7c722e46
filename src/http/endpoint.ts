import { PetstoreError, type ErrorCode } from '../domain/error.ts';
import { bearerToken, type Authenticate, type Caller } from './auth.ts';
import { conditional } from './conditional.ts';
import type { AddCorsHeaders } from './cors.ts';
import type { LargeResponses } from './large-responses.ts';
import type { HttpMetrics } from './metrics.ts';
import type { Quota, RateLimit } from './rate-limit.ts';
import { shownError, type RequestLog } from './request-log.ts';
import { addHeaders, errorResponse, type PlainResponse } from './response.ts';

export interface Call {
  request: Request;
  caller: Caller;
  /** The last segment of the path, where the path leaves it open. */
  parameter: string | undefined;
}

type Handled = PlainResponse | Promise<PlainResponse>;
export type Handler = (call: Call) => Handled;
type Methods = Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Handler>>;

interface EndpointOptions {
  authenticate: Authenticate;
  /** Throws for requests that nothing behind the key may serve. */
  check?: (request: Request) => void;
  rateLimit: RateLimit | undefined;
  addCorsHeaders: AddCorsHeaders | undefined;
  log: RequestLog;
  metrics: HttpMetrics | undefined;
  isStopping: () => boolean;
  largeResponses: LargeResponses;
  baseHeaders: Record<string, string>;
}

export interface Endpoint {
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

export type Serve = (request: Request, parameter: string | undefined) => Response | Promise<Response>;

/** Makes the function that serves a path. A store that responds at once is served without a promise. */
export function createEndpoint(options: EndpointOptions): (endpoint: Endpoint) => Serve {
  const { authenticate, check, rateLimit, addCorsHeaders, log, metrics, isStopping, largeResponses } =
    options;

  return ({ path, methods, isOpen = false, headers = {}, methodHeaders = {} }) => {
    const isKnown = Object.keys(methods).length > 0;
    const allow = allowedMethods(methods);
    const observe = metrics?.requestsOf(isKnown ? path : undefined);
    // `Response` copies a `Headers` faster than it builds one.
    const withBase = (own: Record<string, string>) => new Headers({ ...options.baseHeaders, ...own });
    const pathHeaders = withBase(headers);
    const headersOf = new Map(Object.entries(methodHeaders).map(([name, own]) => [name, withBase(own)]));

    const handle = (exchange: Exchange): Handled => {
      if (exchange.method === 'OPTIONS' && isKnown)
        return { status: 204, headers: { Allow: allow }, body: null };
      if (isOpen) return dispatch(exchange, anybody);
      const caller = authenticate(exchange.request);
      return caller instanceof Promise
        ? caller.then((arrived) => admit(exchange, arrived))
        : admit(exchange, caller);
    };

    const admit = (exchange: Exchange, caller: Caller): Handled => {
      exchange.caller = caller;
      exchange.quota = rateLimit?.(caller.hash);
      if (exchange.quota?.isExceeded) {
        throw new PetstoreError('rate_limited', 'This API key has made too many requests. Try again later.');
      }
      check?.(exchange.request);
      return dispatch(exchange, caller);
    };

    const dispatch = ({ request, method, parameter }: Exchange, caller: Caller): Handled => {
      if (!isKnown) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      const name = method === 'HEAD' ? 'GET' : method;
      const handler = Object.hasOwn(methods, name) ? methods[name as keyof Methods] : undefined;
      if (!handler) return methodNotAllowed(method, allow);
      // By method, so that a new operation that changes something is covered from its first day.
      if (caller.isReadOnly && name !== 'GET') throw readOnlyKey();
      return handler({ request, caller, parameter });
    };

    const respond = (exchange: Exchange, handled: PlainResponse): Response =>
      send(exchange, conditional(exchange.request, handled));

    const refuse = (exchange: Exchange, error: unknown): Response => {
      const shown = shownError(error, exchange.requestId);
      log.failed(exchange, shown, error);
      return send(exchange, errorResponse(shown), shown.code);
    };

    const send = (exchange: Exchange, plain: PlainResponse, error?: ErrorCode): Response => {
      const { request, method, requestId, quota } = exchange;
      const { status, body, etag, completeHeaders } = plain;
      const isHead = method === 'HEAD';
      const sentBody = isHead ? null : largeResponses.bodyFor(request, body, etag);
      const durationMs = performance.now() - exchange.startedAt;
      log.finished(exchange, plain, durationMs);
      observe?.(method, status, durationMs / 1000, error);
      const ownHeaders = completeHeaders ?? headersOf.get(method) ?? pathHeaders;
      const response = new Response(sentBody, { status, headers: ownHeaders });
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
    };

    const respondLater = async (exchange: Exchange, handled: Promise<PlainResponse>): Promise<Response> => {
      try {
        return respond(exchange, await handled);
      } catch (error) {
        return refuse(exchange, error);
      }
    };

    return (request, parameter) => {
      const requestId = requestIdOf(request);
      const { method } = request;
      const exchange: Exchange = {
        request,
        method,
        path,
        parameter,
        requestId,
        startedAt: performance.now(),
        caller: undefined,
        quota: undefined,
      };
      try {
        const handled = handle(exchange);
        return handled instanceof Promise ? respondLater(exchange, handled) : respond(exchange, handled);
      } catch (error) {
        return refuse(exchange, error);
      }
    };
  };
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
