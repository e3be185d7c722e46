import { connect } from 'node:net';
import { checkResponse } from '../contract/conformance.ts';
import { headersOf, readResponse, type RawResponse } from './raw-response.ts';

export interface Listening extends AsyncDisposable {
  url: string;
  /** Sends these bytes on a connection of its own and gives the first response, unchecked. */
  exchange(request: Uint8Array | string, options?: ExchangeOptions): Promise<SocketResponse>;
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
  /** Speaks TLS, with the certificate of the tests. */
  isSecure?: boolean;
}

/** Puts the API on a real socket, with the limits that `petstore serve` sets. */
export function listen(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { isSecure = false }: ListenOptions = {},
): Listening {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: app.fetch,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    ...(isSecure && { tls: { cert: fixture('localhost.pem'), key: fixture('localhost-key.pem') } }),
  });
  return {
    url: server.url.origin,
    exchange: (request, options) => exchange(server.port ?? 0, request, options),
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
const patienceMs = 20_000;

function exchange(
  port: number,
  request: Uint8Array | string,
  { readsLast = false }: ExchangeOptions = {},
): Promise<SocketResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const isHead = Buffer.from(request).subarray(0, 5).toString('latin1') === 'HEAD ';
    const finish = (response?: RawResponse) => {
      resolve({
        status: response?.status ?? 0,
        headers: headersOf(response?.head ?? ''),
        body: String(response?.body ?? ''),
      });
      socket.destroy();
    };
    socket.setTimeout(patienceMs, () => {
      socket.destroy();
      reject(
        new Error(`No response within ${patienceMs} ms to ${JSON.stringify(String(request).slice(0, 300))}`),
      );
    });
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const response = readResponse(received, isHead);
      if (response) finish(response);
    });
    // The service may respond and hang up while a large body is still being sent.
    socket.on('error', () => {});
    // Of a response that was cut off, the head counts.
    socket.on('close', () => finish(readResponse(received, true)));
    if (readsLast) socket.pause();
    socket.write(request, () => socket.resume());
  });
}
