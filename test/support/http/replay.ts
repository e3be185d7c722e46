import { openConnection, type RawConnection } from './raw-http.ts';
import { headerOf } from './raw-response.ts';
import type { CorpusRequest } from './v1-corpus.ts';

/** Sends requests one after the other and gives the bytes of each response, one character for each byte. */
export async function replay(url: string, requests: CorpusRequest[]): Promise<string[]> {
  const responses: string[] = [];
  const known = { etag: '"none"', next: '?limit=5' };
  let connection: RawConnection | undefined;
  for (const request of requests) {
    connection ??= await openConnection(url);
    connection?.write(bytesOf(request, known));
    const found = (await connection?.receiveBytes(request.method === 'HEAD')) ?? 'unanswered';
    // A connection that ends without a response gives the empty text.
    const bytes = typeof found === 'string' ? '' : `${found.head}\r\n\r\n${found.body.toString('latin1')}`;
    responses.push(bytes);
    known.etag = headerOf(bytes, 'ETag') ?? known.etag;
    known.next = /<(\?[^>]+)>; rel="next"/.exec(bytes)?.[1] ?? known.next;
    if (bytes !== '' && !/\r\nConnection: close/i.test(bytes)) continue;
    connection?.[Symbol.dispose]();
    connection = undefined;
  }
  connection?.[Symbol.dispose]();
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
