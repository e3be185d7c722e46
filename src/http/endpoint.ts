import type { Context } from 'hono';
import { PetstoreError } from '../error.ts';
import type { Log } from '../log.ts';
import { errorAnswer, type Answer } from './answer.ts';
import { bearerToken, type Authenticate, type Caller } from './auth.ts';
import type { Cors } from './cors.ts';
import { createFailureLog, shownError } from './failure.ts';
import type { Quota, RateLimit } from './rate-limit.ts';

export interface Call {
  request: Request;
  caller: Caller;
  petId: string | undefined;
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

/**
 * Makes the one handler of a path. It answers every method, checks the caller before anything else,
 * and gives each answer its request id, common headers and log line. A store that answers at
 * once is answered at once, without a promise in between.
 */
export function createEndpoint(options: EndpointOptions) {
  const { authenticate, rateLimit, cors, log, logEveryRequest, slowRequestMs, isDraining } = options;
  const logFailure = createFailureLog(log);

  return ({ path, methods, isOpen = false, headers = {} }: Endpoint) => {
    const isKnown = Object.keys(methods).length > 0;
    const allow = allowedMethods(methods);
    const complete = createHeaderSets({ ...headers, ...options.securityHeaders });

    const dispatch = (call: Call): Answer | Promise<Answer> => {
      if (!isKnown) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      const method = call.request.method === 'HEAD' ? 'GET' : call.request.method;
      const handler = Object.hasOwn(methods, method) ? methods[method as keyof Methods] : undefined;
      if (!handler) return methodNotAllowed(call.request.method, allow);
      return handler(call);
    };

    return (context: Context): Response | Promise<Response> => {
      const startedAt = performance.now();
      const request = context.req.raw;
      const requestId = requestIdOf(request);
      let quota: Quota | undefined;

      const admit = (caller: Caller): Answer | Promise<Answer> => {
        quota = rateLimit?.take(caller);
        if (quota?.isExceeded) {
          throw new PetstoreError(
            'rate_limited',
            'This API key has made too many requests. Try again later.',
          );
        }
        return dispatch({ request, caller, petId: context.req.param('petId') });
      };

      const answer = (): Answer | Promise<Answer> => {
        if (request.method === 'OPTIONS' && isKnown) return optionsAnswer(allow);
        if (isOpen) return dispatch({ request, caller: '', petId: undefined });
        const caller = authenticate(request);
        return caller instanceof Promise ? caller.then(admit) : admit(caller);
      };

      const respond = (given: Answer): Response => {
        const { status, body } = given;
        const durationMs = performance.now() - startedAt;
        if (logEveryRequest || durationMs > slowRequestMs) {
          const fields = {
            requestId,
            method: request.method,
            path,
            status,
            durationMs: Math.round(durationMs),
          };
          if (durationMs > slowRequestMs) log.warn('slow request', fields);
          else log.info('request', fields);
        }
        const allHeaders = complete(given);
        allHeaders.set('X-Request-Id', requestId);
        for (const name in quota?.headers) allHeaders.set(name, quota.headers[name] ?? '');
        if (cors.isNeeded) cors.addTo(allHeaders, request);
        if (isDraining()) allHeaders.set('Connection', 'close');
        // A HEAD answer has no body to take the length from; it must be that of the GET.
        if (request.method === 'HEAD' && body !== null) {
          allHeaders.set('Content-Length', String(Buffer.byteLength(body)));
        }
        return new Response(body, { status, headers: allHeaders });
      };

      const refuse = (error: unknown): Response => {
        const shown = shownError(error, requestId);
        logFailure(shown, error, { requestId, method: request.method, path });
        return respond(errorAnswer(shown));
      };

      try {
        const outcome = answer();
        return outcome instanceof Promise ? outcome.then(respond).catch(refuse) : respond(outcome);
      } catch (error) {
        return refuse(error);
      }
    };
  };
}

/**
 * Adds the headers that every answer of a path has. For a hot page this is done once: to copy a set costs 1 µs less
 * than to build it, a quarter of the work on a hot list.
 */
function createHeaderSets(common: Record<string, string>): (answer: Answer) => Headers {
  const kept = new WeakMap<Record<string, string>, Headers>();
  return ({ headers, hasKeptHeaders }) => {
    if (!hasKeptHeaders) return new Headers({ ...common, ...headers });
    let set = kept.get(headers);
    if (!set) {
      set = new Headers({ ...common, ...headers });
      kept.set(headers, set);
    }
    return new Headers(set);
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
