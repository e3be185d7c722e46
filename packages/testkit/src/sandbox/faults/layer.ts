import {
  baseHeaders,
  createRandom,
  errorResponse,
  jsonMediaType,
  PetstoreError,
  requestIdOf,
  type App,
} from 'petstore-server/embed';
import type { Shape } from '../front.ts';
import { codeOfStatus, parseFault, type Fault } from './fault.ts';
import { createPlannedFaults, pathOf, type PlannedFaults } from './planned.ts';

/** A request's own fault, which overrides planned faults and those of all requests. */
const faultHeader = 'Petstore-Fault';

export interface FaultOptions {
  /** For every request without a fault of its own. */
  faults?: Fault | undefined;
  /** The seed: the nth request to arrive gets the nth random numbers. */
  faultSeed: number;
}

/** What a fault does to the connection of a request, and to the journal. */
export interface RequestConnections {
  cut(request: Request): void;
  shape(request: Request, shape: Shape): void;
  note(request: Request, fault: Fault): void;
}

export interface Faults {
  wrap(next: App['fetch']): App['fetch'];
  planned: PlannedFaults;
  /** Restarts the random numbers and drops planned faults. */
  reset(): void;
}

/** `service` is the API without faults. */
export function createFaults(
  { faults, faultSeed }: FaultOptions,
  connections: RequestConnections,
  service: App['fetch'],
): Faults {
  let random = createRandom(faultSeed);
  const planned = createPlannedFaults();

  const faultOf = (request: Request): Fault | undefined => {
    const text = request.headers.get(faultHeader);
    const fault = text === null ? (planned.take(request) ?? faults) : parseFault(text);
    return fault && random() < (fault.rate ?? 1) ? fault : undefined;
  };

  const inject = async (fault: Fault, request: Request, next: App['fetch']): Promise<Response> => {
    const { delay, status, cut } = fault;
    if (delay) await Bun.sleep(delay.fromMs + random() * (delay.toMs - delay.fromMs));
    if (cut === 'before-commit') return cutNow(request);
    const response = await (status === undefined ? next(request) : injectedError(fault, request));
    if (cut === 'after-commit') return cutNow(request);
    return spoil(fault, request, response);
  };

  /** Copies the headers of the service's own error for this path, from a request without a key. */
  const injectedError = async (fault: Fault, request: Request): Promise<Response> => {
    const { status = 500, code = codeOfStatus(status, request.method) ?? 'internal', retryAfter } = fault;
    const error = new PetstoreError(code, 'The sandbox was asked for this error.');
    const response = errorFor(request, error, status);
    const { method } = request;
    const refusal = await service(new Request(`http://localhost${pathOf(request)}`, { method }));
    for (const name of ['Deprecation', 'Sunset', 'Link', 'Petstore-Stability']) {
      const value = refusal.headers.get(name);
      if (value !== null) response.headers.set(name, value);
    }
    if (retryAfter !== undefined) response.headers.set('Retry-After', String(retryAfter));
    return response;
  };

  /** Only the runtime needs this response; nobody receives it. */
  const cutNow = (request: Request): Response => {
    connections.cut(request);
    return new Response(null);
  };

  const spoil = async (fault: Fault, request: Request, response: Response): Promise<Response> => {
    const { isCorrupt, cut, bytesPerSecond } = fault;
    const hasBody = response.body !== null && request.method !== 'HEAD';
    const bytes = hasBody ? await response.bytes() : new Uint8Array();
    const bodyBytes = bytes.length;
    const isJson = response.headers.get('Content-Type') === jsonMediaType;
    if (isCorrupt && isJson && bodyBytes > 0) bytes[bodyBytes - 1] = invalidEnd;
    const cutAt = cut === 'mid-body' ? Math.floor(bodyBytes / 2) : undefined;
    if (cutAt !== undefined || bytesPerSecond !== undefined) {
      connections.shape(request, { bodyBytes, cutAt, bytesPerSecond });
    }
    return hasBody ? new Response(bytes, response) : response;
  };

  const wrap: Faults['wrap'] = (next) => (request) => {
    let fault: Fault | undefined;
    try {
      fault = faultOf(request);
    } catch (error) {
      if (!(error instanceof PetstoreError)) throw error;
      return errorFor(request, error);
    }
    if (!fault) return next(request);
    connections.note(request, fault);
    return inject(fault, request, next);
  };
  const reset = (): void => {
    random = createRandom(faultSeed);
    planned.clear();
  };
  return { wrap, planned, reset };
}

/** No JSON ends in this character: in place of the last one, it breaks the body and keeps its length. */
const invalidEnd = '!'.charCodeAt(0);

/** The service's headers for these statuses. */
const headersOfStatus: Record<number, Record<string, string>> = {
  405: { Allow: 'OPTIONS' },
  429: { 'Retry-After': '1', RateLimit: '"default";r=0;t=1', 'RateLimit-Policy': '"default";q=1;w=60' },
};

function errorFor(request: Request, error: PetstoreError, status = error.status): Response {
  const { headers } = errorResponse(error);
  const { code, message } = error;
  return new Response(JSON.stringify({ code, message, status }), {
    status,
    headers: {
      ...baseHeaders(false),
      ...headers,
      ...headersOfStatus[status],
      'X-Request-Id': requestIdOf(request),
    },
  });
}
