import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** The limit of Node: node:http that repeats, from memory, what the service responded once. */
const { GET: get, POST: post } = JSON.parse(readFileSync(process.env.RESPONSES, 'utf8'));
for (const { headers, body } of [get, post]) {
  // Without a length node:http would send the body in chunks, which takes longer.
  if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(get.status, get.headers).end(get.body ?? undefined);
    return;
  }
  // The service reads the body of a create, so its limit must, too.
  let text = '';
  request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  request.on('end', () => text !== '' && response.writeHead(post.status, post.headers).end(post.body));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
