import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { checkResponse } from '../contract/conformance.ts';
import { headersOf, readResponse, type RawResponse } from './raw-response.ts';

/**
 * HTTP/1.1 on a socket of its own. Unlike `fetch` it never repeats a request behind the caller's back, and it
 * tells a response that never came from one that was cut off.
 */
export interface RawConnection extends Disposable {
  /** Writes as is, a byte for each character; for requests that are sent in pieces. */
  write(bytes: string | Uint8Array): void;
  /** Sends a request on its own; throws when the response is not as its document says. */
  send(method: string, path: string, options?: RawRequest): Promise<RawOutcome>;
  /** Sends a request whose response is not checked, because a proxy may have made or changed it. */
  exchange(method: string, path: string, options?: RawRequest): Promise<RawOutcome>;
  /** The response to what was written, unchecked. */
  receive(): Promise<RawOutcome>;
  /** The same as bytes. A response to HEAD has no body, whatever its length says. */
  receiveBytes(isHead?: boolean): Promise<RawResponse | Unanswered>;
  /** Writes, and reads nothing before all has left, as callers do that wait in a call to write. */
  writeFirst(bytes: Uint8Array): void;
}

export interface RawRequest {
  key?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `unanswered`: the connection ended before the first byte of a response; `truncated`: within a response. */
type Unanswered = 'unanswered' | 'truncated';
export type RawOutcome = Response | Unanswered;

/** Connects to the service at this address, or gives undefined when nobody listens there. */
export async function openConnection(url: string): Promise<RawConnection | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  const address = { host: hostname, port: Number(port), noDelay: true };
  // The certificate of the tests is signed by nobody.
  const socket = isSecure ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return isOpen ? speakHttp(socket, hostname) : undefined;
}

/** A caller that keeps its connection, and opens a new one when it has ended or the service says `Connection: close`. */
export interface RawCaller extends Disposable {
  /** `refused` when nobody listens, and then nobody got the request. */
  send(method: string, path: string, request?: RawRequest): Promise<RawOutcome | 'refused'>;
}

export interface RawCallerOptions {
  /** Asked for every connection, since a service that starts again has a new address. */
  url: () => string;
  /** After this long without a response the caller hangs up. */
  patienceMs?: number;
  /** How a request is sent; unchecked, if a proxy may have made or changed the response. */
  how?: 'send' | 'exchange';
}

export function openCaller({ url, patienceMs = 2 ** 30, how = 'send' }: RawCallerOptions): RawCaller {
  let connection: RawConnection | undefined;
  const hangUp = (): void => {
    connection?.[Symbol.dispose]();
    connection = undefined;
  };
  return {
    async send(method, path, request) {
      connection ??= await openConnection(url());
      if (!connection) return 'refused';
      const impatience = setTimeout(hangUp, patienceMs);
      const response = await connection[how](method, path, request);
      clearTimeout(impatience);
      if (typeof response === 'string' || response.headers.get('Connection') === 'close') hangUp();
      return response;
    },
    [Symbol.dispose]: hangUp,
  };
}

export function requestText(method: string, path: string, host: string, request: RawRequest = {}): string {
  const { key, headers = {}, body } = request;
  const lines = Object.entries({
    Host: host,
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function speakHttp(socket: Socket, host: string): RawConnection {
  let received: Buffer = Buffer.alloc(0);
  let isClosed = false;
  let onChange = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    onChange();
  });
  // What an error means is told by the close that follows it.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    onChange();
  });

  const receiveBytes = (isHead = false): Promise<RawResponse | Unanswered> =>
    new Promise((resolve) => {
      onChange = () => {
        const found = readResponse(received, isHead);
        if (found) {
          received = received.subarray(found.length);
          resolve(found);
        } else if (isClosed) {
          resolve(received.length === 0 ? 'unanswered' : 'truncated');
        }
      };
      onChange();
    });
  const receive = async (): Promise<RawOutcome> => {
    const found = await receiveBytes();
    return typeof found === 'string' ? found : responseOf(found);
  };

  const exchange: RawConnection['exchange'] = (method, path, request) => {
    socket.write(requestText(method, path, host, request));
    return receive();
  };

  return {
    write: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    exchange,
    async send(method, path, request) {
      const outcome = await exchange(method, path, request);
      if (typeof outcome !== 'string') await checkResponse({ method, url: path }, outcome);
      return outcome;
    },
    receive,
    receiveBytes,
    writeFirst(bytes) {
      socket.pause();
      socket.write(bytes, () => socket.resume());
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

function responseOf({ status, head, body }: RawResponse): Response {
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? Uint8Array.from(body) : null, { status, headers: headersOf(head) });
}
