import { PetstoreError } from '../error.ts';
import type { Log } from '../log.ts';
import { errorAnswer, type Answer } from './response.ts';
import { bearerToken, type Authenticate, type Caller } from './auth.ts';
import type { Cors } from './cors.ts';
import { createFailureLog, shownError } from './failure.ts';
import { LargeAnswers, type IsSent } from './large-responses.ts';
import type { Quota, RateLimit } from './rate-limit.ts';

export interface Call {
  request: Request;
  caller: Caller;
  /** The last segment of the path, where the path leaves it open. */
  parameter: string | undefined;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

export type Methods = Partial<Record<'GET' | 'POST', Handler>>;

export interface EndpointOptions {
  authenticate: Authenticate;
  rateLimit: RateLimit | undefined;
  cors: Cors;
  log: Log;
  logEveryRequest: boolean;
  slowRequestMs: number;
  isDraining: () => boolean;
  isSent: IsSent | undefined;
  securityHeaders: Record<string, string>;
}

export interface Endpoint {
  /** As the contract writes it, for the log: the path that was asked for may hold a secret. */
  path: string;
  methods: Methods;
  /** True for the few paths that anybody may read. */
  isOpen?: boolean;
  /** Added to every answer of this path, errors included. */
  headers?: Record<string, string>;
}

/** One request on its way. */
interface Exchange {
  request: Request;
  method: string;
  requestId: string;
  parameter: string | undefined;
  startedAt: number;
  quota: Quota | undefined;
}

export type Serve = (request: Request, parameter: string | undefined) => Response | Promise<Response>;

/**
 * Makes the one handler of a path. It answers every method, checks the caller before anything else,
 * and gives each answer its request id, common headers and log line. A store that answers at
 * once is answered at once, without a promise in between.
 */
export function createEndpoint(options: EndpointOptions): (endpoint: Endpoint) => Serve {
  const { authenticate, rateLimit, cors, log, logEveryRequest, slowRequestMs, isDraining } = options;
  const logFailure = createFailureLog(log);
  const largeAnswers = new LargeAnswers(options.isSent);

  return ({ path, methods, isOpen = false, headers = {} }) => {
    const isKnown = Object.keys(methods).length > 0;
    const allow = allowedMethods(methods);
    const headersWith = createHeaderSets({ ...headers, ...options.securityHeaders });

    const answer = (exchange: Exchange): Answer | Promise<Answer> => {
      if (exchange.method === 'OPTIONS' && isKnown) return optionsAnswer(allow);
      if (isOpen) return dispatch(exchange, '');
      const caller = authenticate(exchange.request);
      return caller instanceof Promise
        ? caller.then((arrived) => admit(exchange, arrived))
        : admit(exchange, caller);
    };

    const admit = (exchange: Exchange, caller: Caller): Answer | Promise<Answer> => {
      exchange.quota = rateLimit?.take(caller);
      if (exchange.quota?.isExceeded) {
        throw new PetstoreError('rate_limited', 'This API key has made too many requests. Try again later.');
      }
      return dispatch(exchange, caller);
    };

    const dispatch = (exchange: Exchange, caller: Caller): Answer | Promise<Answer> => {
      if (!isKnown) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      const { request, method, parameter } = exchange;
      const name = method === 'HEAD' ? 'GET' : method;
      const handler = Object.hasOwn(methods, name) ? methods[name as keyof Methods] : undefined;
      if (!handler) return methodNotAllowed(method, allow);
      return handler({ request, caller, parameter });
    };

    const respond = (exchange: Exchange, given: Answer): Response => {
      const { status, fixedHeaders = none, headers: own, body } = given;
      const { request, method, requestId, quota } = exchange;
      const sent = largeAnswers.bodyOf(body, own['ETag'] ?? fixedHeaders['ETag'], request);
      logRequest(exchange, status);
      const isHead = method === 'HEAD';
      const response = new Response(isHead ? null : sent, {
        status,
        headers: headersWith(fixedHeaders),
      });
      for (const name in own) response.headers.set(name, own[name] ?? '');
      response.headers.set('X-Request-Id', requestId);
      for (const name in quota?.headers) response.headers.set(name, quota.headers[name] ?? '');
      if (cors.isNeeded) cors.addTo(response.headers, request);
      if (isDraining()) response.headers.set('Connection', 'close');
      // The response to a HEAD has no body to take the length from, and the runtime then leaves out the date as well.
      if (isHead && body !== null) {
        response.headers.set('Content-Length', String(Buffer.byteLength(body)));
        response.headers.set('Date', new Date().toUTCString());
      }
      return response;
    };

    const finish = (exchange: Exchange, given: Answer): Response => {
      try {
        return respond(exchange, given);
      } catch (error) {
        return refuse(exchange, error);
      }
    };

    const refuse = (exchange: Exchange, error: unknown): Response => {
      const { method, requestId } = exchange;
      const shown = shownError(error, requestId);
      logFailure(shown, error, { requestId, method, path });
      return respond(exchange, errorAnswer(shown));
    };

    const logRequest = ({ method, requestId, startedAt }: Exchange, status: number): void => {
      const durationMs = performance.now() - startedAt;
      const isSlow = durationMs > slowRequestMs;
      if (!isSlow && !logEveryRequest) return;
      const fields = {
        requestId,
        method,
        path,
        status,
        durationMs: Math.round(durationMs),
      };
      if (isSlow) log.warn('slow request', fields);
      else log.info('request', fields);
    };

    return (request, parameter) => {
      const requestId = requestIdOf(request);
      const exchange: Exchange = {
        request,
        method: request.method,
        requestId,
        parameter,
        startedAt: performance.now(),
        quota: undefined,
      };
      try {
        const outcome = answer(exchange);
        if (!(outcome instanceof Promise)) return respond(exchange, outcome);
        return outcome.then(
          (given) => finish(exchange, given),
          (error: unknown) => refuse(exchange, error),
        );
      } catch (error) {
        return refuse(exchange, error);
      }
    };
  };
}

const none: Record<string, string> = {};

type HeaderSets = (fixedHeaders: Record<string, string>) => Headers;

/**
 * Adds the headers that every answer of a path has to those that answers of one kind have. The set is made once: a
 * `Response` copies it, which costs 1.6 µs less than to build it.
 */
function createHeaderSets(common: Record<string, string>): HeaderSets {
  const kept = new WeakMap<Record<string, string>, Headers>();
  return (fixedHeaders) => {
    let set = kept.get(fixedHeaders);
    if (!set) {
      set = new Headers({ ...common, ...fixedHeaders });
      kept.set(fixedHeaders, set);
    }
    return set;
  };
}

const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

function requestIdOf(request: Request): string {
  const given = request.headers.get('X-Request-Id');
  return given !== null && isSaneRequestId(given, request) ? given : crypto.randomUUID();
}

/** Short, without anything that could break a log line, and without the caller's own key, which may have any form. */
function isSaneRequestId(id: string, request: Request): boolean {
  const token = bearerToken(request);
  return saneRequestId.test(id) && (token === undefined || !id.includes(token));
}

function allowedMethods(methods: Methods): string {
  const names = Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
  return [...names, 'OPTIONS'].join(', ');
}

function optionsAnswer(allow: string): Answer {
  return { status: 204, headers: { Allow: allow }, body: null };
}

function methodNotAllowed(method: string, allow: string): Answer {
  const error = new PetstoreError(
    'method_not_allowed',
    `${method} is not allowed here; allowed are ${allow}.`,
  );
  const { headers, ...answer } = errorAnswer(error);
  return { ...answer, headers: { ...headers, Allow: allow } };
}
