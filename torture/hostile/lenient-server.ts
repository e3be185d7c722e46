import { createServer, type AddressInfo } from 'node:net';

/** Takes whatever looks like the end of a request for one, and serves it: what no server should do. */
export async function startLenientServer(): Promise<{ port: number } & Disposable> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const requests = bytes.toString('latin1').split(/\r?\n\r?\n/).length - 1;
      socket.write('HTTP/1.1 200 OK\r\nX-Request-Id: 1\r\nContent-Length: 2\r\n\r\n[]'.repeat(requests));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}
