import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** How to alter one response on its way to the caller. */
export interface Shape {
  /** The length of the response's body. */
  bodyBytes: number;
  /** Closes the connection after this many bytes of the body. */
  cutAt?: number | undefined;
  bytesPerSecond?: number | undefined;
}

/**
 * Accepts callers and forwards their bytes to the HTTP server on another port of this process, which cannot close a
 * connection without a response. The server identifies a connection by the port at our end, the peer port.
 */
export interface Front {
  port: number;
  /** Closes a connection at once. */
  cut(peerPort: number): void;
  /** Alters the next response on a connection. */
  shape(peerPort: number, shape: Shape): void;
  /** Closes the port and every connection. */
  close(): Promise<void>;
}

interface Pair {
  caller: Socket;
  service: Socket;
  shape: Shape | undefined;
}

interface FrontOptions {
  host: string;
  port: number;
  /** The loopback port of the HTTP server. */
  servicePort: number;
}

export async function openFront({ host, port, servicePort }: FrontOptions): Promise<Front> {
  /** By peer port. */
  const pairs = new Map<number, Pair>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const service = connect({ host: '127.0.0.1', port: servicePort, allowHalfOpen: true, noDelay: true });
    const pair: Pair = { caller: track(caller), service: track(service), shape: undefined };
    let peerPort = 0;
    service.on('connect', () => {
      peerPort = service.localPort ?? 0;
      pairs.set(peerPort, pair);
    });
    service.on('close', () => pairs.delete(peerPort));
    caller.on('close', () => service.destroy());
    caller.pipe(service);
    void forward(pair).catch(() => caller.destroy());
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(
      `The sandbox cannot listen on ${host}, port ${port} (${code || message}). Choose another port.`,
      { cause: error },
    );
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut(peerPort) {
      const pair = pairs.get(peerPort);
      pair?.caller.destroy();
      pair?.service.destroy();
    },
    shape(peerPort, shape) {
      const pair = pairs.get(peerPort);
      if (pair) pair.shape = shape;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Sends the service's bytes to the caller until the service ends the connection or a shape cuts it. */
async function forward(pair: Pair): Promise<void> {
  const { caller, service } = pair;
  let buffer: Buffer = Buffer.alloc(0);
  for await (const chunk of service as AsyncIterable<Buffer>) {
    if (!pair.shape) {
      await write(caller, chunk);
      continue;
    }
    buffer = Buffer.concat([buffer, chunk]);
    const { bodyBytes, cutAt, bytesPerSecond } = pair.shape;
    const bodyStart = buffer.indexOf('\r\n\r\n') + 4;
    // A shape needs the complete response.
    if (bodyStart < 4 || buffer.length < bodyStart + bodyBytes) continue;
    const end = bodyStart + (cutAt ?? bodyBytes);
    await (bytesPerSecond ? trickle : write)(caller, buffer.subarray(0, end), bytesPerSecond);
    if (cutAt !== undefined) break;
    pair.shape = undefined;
    await write(caller, buffer.subarray(end));
    buffer = Buffer.alloc(0);
  }
  caller.end(() => caller.destroy());
}

const trickleEveryMs = 50;

async function trickle(caller: Socket, bytes: Buffer, bytesPerSecond = 1): Promise<void> {
  const step = Math.max(1, Math.round((bytesPerSecond * trickleEveryMs) / 1000));
  for (let start = 0; start < bytes.length; start += step) {
    await write(caller, bytes.subarray(start, start + step));
    await Bun.sleep((1000 * step) / bytesPerSecond);
  }
}

async function write(caller: Socket, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || caller.write(bytes)) return;
  await Promise.race([once(caller, 'drain'), once(caller, 'close')]);
}
