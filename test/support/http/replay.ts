import { connect, type Socket } from 'node:net';
import { headerOf, readResponse } from './raw-response.ts';
import type { CorpusRequest } from './v1-corpus.ts';

/** Sends requests one after the other and gives the bytes of each response, one character for each byte. */
export async function replay(port: number, requests: CorpusRequest[]): Promise<string[]> {
  const responses: string[] = [];
  const known = { etag: '"none"', next: '?limit=5' };
  let socket: Socket | undefined;
  for (const request of requests) {
    if (!socket || socket.destroyed || socket.readableEnded) socket = connect(port, '127.0.0.1');
    const bytes = await exchange(socket, bytesOf(request, known), request.method === 'HEAD');
    responses.push(bytes);
    known.etag = headerOf(bytes, 'ETag') ?? known.etag;
    known.next = /<(\?[^>]+)>; rel="next"/.exec(bytes)?.[1] ?? known.next;
    if (/\r\nConnection: close/i.test(bytes)) socket.destroy();
  }
  socket?.destroy();
  return responses;
}

function bytesOf({ method, target, headers, body }: CorpusRequest, known: Record<string, string>): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: petstore',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content ? [`Content-Length: ${content.length}`] : []),
  ].map((line) => line.replace(/\{(etag|next)\}/g, (_whole, name: string) => known[name] ?? ''));
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), content ?? Buffer.alloc(0)]);
}

/** A connection that ends without a response gives the empty text. */
function exchange(socket: Socket, request: Buffer, isHead: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const onData = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const found = readResponse(received, isHead);
      if (found) finish(`${found.head}\r\n\r\n${found.body.toString('latin1')}`);
    };
    const onClose = () => finish('');
    const finish = (text: string) => {
      socket.off('data', onData).off('close', onClose).off('error', reject);
      resolve(text);
    };
    socket.on('data', onData).on('close', onClose).on('error', reject);
    socket.write(request);
  });
}
