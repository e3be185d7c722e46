import { PetstoreError, type ErrorCode } from '../domain/error.ts';
import { describeError, type Log, type LogFields } from '../domain/log.ts';
import type { ClientAddress } from './client-address.ts';
import type { Call } from './endpoint.ts';
import type { PlainResponse } from './response.ts';

export interface RequestLog {
  /**
   * Logs errors of the service: a bug always, a store that cannot be used once a second instead of once a request.
   * Requests without a valid key or over the rate limit are counted by address.
   */
  failed(call: Call, shown: PetstoreError, error: unknown): void;
  /** Logs slow requests, and all of them if that is switched on. */
  finished(call: Call, response: PlainResponse, durationMs: number): void;
}

interface RequestLogOptions {
  log: Log;
  logEveryRequest: boolean;
  slowRequestMs: number;
  clientOf: ClientAddress;
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { log, logEveryRequest, slowRequestMs, clientOf } = options;
  const loggedAt = new Map<ErrorCode, number>();
  const countUnauthorized = createRefusalCounter(log, 'requests without a valid key');
  const countLimited = createRefusalCounter(log, 'requests over the rate limit');

  /** What every line about a request says, around what this one adds. */
  const fieldsOf = ({ method, path, caller, request, requestId }: Call, more: LogFields): LogFields => ({
    method,
    path,
    key: caller.name || undefined,
    keyId: caller.id,
    client: clientOf(request),
    ...more,
    requestId,
  });

  const logRefusal = (call: Call, { code, status, message }: PetstoreError): void => {
    const client = clientOf(call.request) ?? 'unknown';
    if (status === 401) countUnauthorized(client);
    if (status === 429) countLimited(client, { keyId: call.caller.id, key: call.caller.name });
    log.debug('request refused', fieldsOf(call, { status, code, reason: message }));
  };

  return {
    failed(call, shown, error) {
      const { code, status } = shown;
      if (status < 500) return logRefusal(call, shown);
      const fields = fieldsOf(call, { code, error: describeError(error) });
      if (code === 'internal') return log.error('request failed', fields);
      const now = performance.now();
      if (now - (loggedAt.get(code) ?? -Infinity) < 1000) return;
      loggedAt.set(code, now);
      log.warn('requests are refused', fields);
    },

    finished(call, { status, body }, durationMs) {
      const isSlow = durationMs > slowRequestMs;
      if (!isSlow && !logEveryRequest) return;
      const fields = fieldsOf(call, {
        query: queryOf(call.request.url),
        status,
        durationMs: Math.round(durationMs),
        bytes: body === null || call.method === 'HEAD' ? 0 : Buffer.byteLength(body),
        traceId: traceIdOf(call.request),
      });
      if (isSlow) log.warn('slow request', fields);
      else log.info('request', fields);
    },
  };
}

/** Past it, addresses are counted together, so that an attack from many costs no more memory than one from these. */
const maxAddresses = 1000;

/** Logs the first refusal of an address at once, and how many followed at most once a minute. */
export function createRefusalCounter(
  log: Log,
  message: string,
  afterAMinute: (run: () => void) => void = inAMinute,
): (address: string, fields?: LogFields) => void {
  const counts = new Map<string, { count: number; fields: LogFields }>();

  const later = (client: string): void => {
    afterAMinute(() => {
      const { count = 0, fields } = counts.get(client) ?? {};
      if (count === 0) return void counts.delete(client);
      counts.set(client, { count: 0, fields: {} });
      log.warn(message, { client, count, ...fields });
      later(client);
    });
  };

  return (address, fields = {}) => {
    const client = counts.has(address) || counts.size < maxAddresses ? address : 'others';
    const known = counts.get(client);
    if (known) {
      known.count += 1;
      known.fields = fields;
      return;
    }
    counts.set(client, { count: 0, fields: {} });
    log.warn(message, { client, count: 1, ...fields });
    later(client);
  };
}

function inAMinute(run: () => void): void {
  setTimeout(run, 60_000).unref();
}

/** What a caller sees of an error: of an unexpected one, only the id under which it was logged. */
export function shownError(error: unknown, requestId: string): PetstoreError {
  if (error instanceof PetstoreError && error.code !== 'internal') return error;
  return new PetstoreError(
    'internal',
    `Something went wrong on our side. If this keeps happening, report it with the request id ${requestId}.`,
  );
}

/** The parameters that select pets, and values that cannot be a secret. */
const harmless: Record<string, RegExp> = { limit: /^\d{1,3}$/, status: /^(?:available|pending|sold)$/ };
const maxQueryLength = 200;

/** A cursor says nothing to a reader, and any other parameter or value may be a secret in the wrong place. */
function queryOf(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const shown = [...new URLSearchParams(url.slice(start + 1))]
    .filter(([name]) => Object.hasOwn(harmless, name))
    .map(([name, value]) => `${name}=${harmless[name]?.test(value) ? value : '(invalid)'}`);
  return shown.join('&').slice(0, maxQueryLength) || undefined;
}

/** Version, trace id, parent id, flags; a version after 00 may add fields (W3C Trace Context, section 3.2). */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace that a request belongs to, if its `traceparent` is valid. */
export function traceIdOf(request: Request): string | undefined {
  const [, version, traceId, more] = traceparent.exec(request.headers.get('traceparent') ?? '') ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}
