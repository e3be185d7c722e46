import type { Socket } from 'node:net';

/** The whole reply of a server that speaks no TLS to the request for it; anything else is an error. */
const speaksNoTls = Buffer.from('N');

/** Tells whether the server has declined TLS. To be called before the driver asks for TLS on the socket. */
export function watchForTlsRefusal(socket: Socket): () => boolean {
  let isRefused = false;
  socket.once('data', (firstBytes: Buffer) => {
    isRefused = firstBytes.equals(speaksNoTls);
  });
  return () => isRefused;
}
