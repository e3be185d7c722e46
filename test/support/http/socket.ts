import { checkResponse } from '../contract/conformance.ts';
import { openConnection } from './raw-http.ts';
import { headersOf } from './raw-response.ts';

export interface Listening extends AsyncDisposable {
  url: string;
  port: number;
  /** Sends these bytes on a connection of its own and gives the first response, unchecked. */
  exchange: (request: Uint8Array | string, options?: ExchangeOptions) => Promise<SocketResponse>;
}

export interface ExchangeOptions {
  /** Reads nothing before all is sent, as callers do that wait in a call to write. */
  readsLast?: boolean;
}

export interface SocketResponse {
  /** 0 when the connection was closed without a response. */
  status: number;
  headers: Headers;
  body: string;
}

const fixture = (name: string) => Bun.file(new URL(`../../fixtures/${name}`, import.meta.url));

export interface ListenOptions {
  port?: number;
  /** Speaks TLS, with the certificate of the tests. */
  isSecure?: boolean;
}

/** Puts the API on a real socket, with the limits that `petstore serve` sets. */
export function listen(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { port = 0, isSecure = false }: ListenOptions = {},
): Listening {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch: app.fetch,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    ...(isSecure && { tls: { cert: fixture('localhost.pem'), key: fixture('localhost-key.pem') } }),
  });
  return {
    url: server.url.origin,
    port: server.port!,
    exchange: (request, options) => exchange(server.url.origin, request, options),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Checks a response that came as bytes as strictly as any other. */
export async function checkRawResponse(method: string, url: string, response: SocketResponse): Promise<void> {
  const { status, headers, body } = response;
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  await checkResponse({ method, url }, new Response(hasBody ? body : null, { status, headers }));
}

/** Neither side may keep a test waiting for ever. */
const patienceMs = 60_000;

/** Sends these bytes on a connection of their own and gives the first response, unchecked. */
export async function exchange(
  url: string,
  request: Uint8Array | string,
  { readsLast = false }: ExchangeOptions = {},
): Promise<SocketResponse> {
  using connection = await openConnection(url);
  if (!connection) throw new Error(`Nobody listens at ${url}.`);
  if (readsLast) connection.writeFirst(Buffer.from(request));
  else connection.write(Buffer.from(request));
  const isHead = Buffer.from(request).subarray(0, 5).toString('latin1') === 'HEAD ';
  const response = await inTime(connection.receiveBytes(isHead), request);
  // Of a response that was cut off, the head counts.
  const found = typeof response === 'string' ? await connection.receiveBytes(true) : response;
  if (typeof found === 'string') return { status: 0, headers: new Headers(), body: '' };
  return { status: found.status, headers: headersOf(found.head), body: String(found.body) };
}

async function inTime<Value>(pending: Promise<Value>, request: Uint8Array | string): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const sent = JSON.stringify(String(request).slice(0, 300));
  const timer = setTimeout(() => late.reject(new Error(`No response in time to ${sent}`)), patienceMs);
  try {
    return await Promise.race([pending, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
