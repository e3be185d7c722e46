import type { Context } from 'hono';
import { PetstoreError, type ErrorCode } from '../error.ts';
import { describeError, type Log, type LogFields } from '../log.ts';
import { errorAnswer, type Answer } from './answer.ts';
import type { Authenticate, Caller } from './auth.ts';
import type { Cors } from './cors.ts';

export interface Call {
  request: Request;
  caller: Caller;
  petId: string | undefined;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

export type Methods = Partial<Record<'GET' | 'POST', Handler>>;

export interface EndpointOptions {
  authenticate: Authenticate;
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
 * and gives each answer its request id, common headers and log line. Stores that answer at once are
 * answered at once: without a promise in between, a list is a fifth faster.
 */
export function createEndpoint(options: EndpointOptions) {
  const { authenticate, cors, log, logEveryRequest, slowRequestMs, isDraining, securityHeaders } = options;

  const logFailure = createFailureLog(log);

  return ({ path, methods, isOpen = false, headers = {} }: Endpoint) => {
    const isKnown = Object.keys(methods).length > 0;
    const allow = allowedMethods(methods);
    const everyAnswer = { ...headers, ...securityHeaders };

    const dispatch = (call: Call): Answer | Promise<Answer> => {
      if (!isKnown) throw new PetstoreError('not_found', 'Nothing is found at this address.');
      const method = call.request.method === 'HEAD' ? 'GET' : call.request.method;
      const handler = Object.hasOwn(methods, method) ? methods[method as keyof Methods] : undefined;
      if (!handler) return methodNotAllowed(call.request.method, allow);
      return handler(call);
    };

    const answer = (context: Context): Answer | Promise<Answer> => {
      const request = context.req.raw;
      if (request.method === 'OPTIONS' && isKnown) return optionsAnswer(allow);
      const petId = context.req.param('petId');
      if (isOpen) return dispatch({ request, caller: '', petId });
      const caller = authenticate(request);
      return caller instanceof Promise
        ? caller.then((known) => dispatch({ request, caller: known, petId }))
        : dispatch({ request, caller, petId });
    };

    return (context: Context): Response | Promise<Response> => {
      const startedAt = performance.now();
      const request = context.req.raw;
      const requestId = requestIdOf(request);

      const respond = ({ status, headers: ownHeaders, body }: Answer): Response => {
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
        const init: Record<string, string> = { ...everyAnswer, ...ownHeaders, 'X-Request-Id': requestId };
        if (cors.isNeeded) {
          const vary = init['Vary'];
          Object.assign(init, cors.headersFor(request));
          if (vary !== undefined) init['Vary'] = `${vary}, Origin`;
        }
        if (isDraining()) init['Connection'] = 'close';
        // A HEAD answer has no body to take the length from; it must be that of the GET.
        if (request.method === 'HEAD' && body !== null)
          init['Content-Length'] = String(Buffer.byteLength(body));
        return new Response(body, { status, headers: init });
      };

      const refuse = (error: unknown): Response => {
        const shown =
          error instanceof PetstoreError && error.code !== 'internal' ? error : hideError(requestId);
        if (shown.status >= 500) {
          logFailure(shown.code, { requestId, method: request.method, path, error: describeError(error) });
        }
        return respond(errorAnswer(shown));
      };

      try {
        const outcome = answer(context);
        return outcome instanceof Promise ? outcome.then(respond).catch(refuse) : respond(outcome);
      } catch (error) {
        return refuse(error);
      }
    };
  };
}

/** A bug is always logged. A service that is overloaded or without its store says so once a second, not once a request. */
function createFailureLog(log: Log): (code: ErrorCode, fields: LogFields) => void {
  const loggedAt = new Map<ErrorCode, number>();
  return (code, fields) => {
    if (code === 'internal') return log.error('request failed', { code, ...fields });
    const now = performance.now();
    if (now - (loggedAt.get(code) ?? -Infinity) < 1000) return;
    loggedAt.set(code, now);
    log.warn('requests are refused', { code, ...fields });
  };
}

const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

function requestIdOf(request: Request): string {
  const given = request.headers.get('X-Request-Id');
  return given !== null && saneRequestId.test(given) ? given : crypto.randomUUID();
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

/** Whoever called gets nothing of an unknown error but the id under which it was logged. */
function hideError(requestId: string): PetstoreError {
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If it stays, report it with the request id ${requestId}.`,
  );
}
