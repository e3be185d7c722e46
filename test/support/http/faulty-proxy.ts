import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What happens to one connection: `pass` forwards it; `cut-request` ends it before the request reaches the service;
 * `cut-response` ends it before the response reaches the caller; `cut-midway` forwards half of the response; `stall`
 * never responds; a number is the status of a response that does not come from the service.
 */
export type Fault = 'pass' | 'cut-request' | 'cut-response' | 'cut-midway' | 'stall' | 503 | 429 | 502;

export interface FaultyProxy extends AsyncDisposable {
  url: string;
  /** The number of connections so far. */
  readonly connections: number;
}

/** A proxy to the service on `port` that applies the faults to its connections in turn, then forwards everything. */
export async function openFaultyProxy(port: number, faults: Fault[]): Promise<FaultyProxy> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };

  const server = createServer((caller) => {
    keep(caller);
    const fault = faults[connections++] ?? 'pass';
    if (fault === 'stall') return;
    if (fault === 'cut-request') return void caller.once('data', () => caller.resetAndDestroy());
    if (typeof fault === 'number') return void caller.once('data', () => caller.end(responseOf(fault)));
    const service = keep(connect(port, '127.0.0.1'));
    caller.pipe(service);
    if (fault === 'pass') return void service.pipe(caller);
    service.once('data', (response: Buffer) => {
      if (fault === 'cut-midway') caller.write(response.subarray(0, response.length / 2));
      // One turn later, so that the half response has left.
      setImmediate(() => caller.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const codes = { 429: 'rate_limited', 502: undefined, 503: 'unavailable' } as const;

function responseOf(status: 429 | 502 | 503): string {
  const code = codes[status];
  const body = code ? JSON.stringify({ code, message: 'Not now.', status }) : '<h1>Bad Gateway</h1>';
  return [
    `HTTP/1.1 ${status} Not Now`,
    `Content-Length: ${body.length}`,
    ...(code ? ['Content-Type: application/json', 'Retry-After: 0'] : ['Content-Type: text/html']),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
