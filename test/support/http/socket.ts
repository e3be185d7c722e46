import { connect } from 'node:net';
import { checkAnswer } from '../contract/conformance.ts';

export interface Listening extends AsyncDisposable {
  url: string;
  /** Sends these bytes on a connection of its own and gives the first answer, unchecked. */
  exchange(request: Uint8Array | string, options?: ExchangeOptions): Promise<RawAnswer>;
}

export interface ExchangeOptions {
  /** Reads nothing before all is sent, as callers do that wait in a call to write. */
  readsLast?: boolean;
}

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
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

/** Checks an answer that came as bytes as strictly as any other. */
export async function checkRawAnswer(method: string, url: string, answer: RawAnswer): Promise<void> {
  const { status, headers, body } = answer;
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  await checkAnswer({ method, url }, new Response(hasBody ? body : null, { status, headers }));
}

/** Neither side may keep a test waiting for ever. */
const patienceMs = 20_000;

function exchange(
  port: number,
  request: Uint8Array | string,
  { readsLast = false }: ExchangeOptions = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const isHead = Buffer.from(request).subarray(0, 5).toString('latin1') === 'HEAD ';
    const finish = (answer: RawAnswer) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(patienceMs, () => {
      socket.destroy();
      reject(
        new Error(`No answer within ${patienceMs} ms to ${JSON.stringify(String(request).slice(0, 300))}`),
      );
    });
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const answer = parseAnswer(received, isHead);
      if (answer) finish(answer);
    });
    // The service may answer and hang up while a large body is still being sent.
    socket.on('error', () => {});
    socket.on('close', () =>
      finish(parseAnswer(received, true) ?? { status: 0, headers: new Headers(), body: '' }),
    );
    if (readsLast) socket.pause();
    socket.write(request, () => socket.resume());
  });
}

/** The answer, once all of it has arrived. The service gives every body a Content-Length. */
function parseAnswer(received: Buffer, isHead: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = isHead ? 0 : Number(headers.get('Content-Length') ?? 0);
  const body = received.subarray(end + 4);
  if (body.length < length) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.subarray(0, length).toString() };
}
