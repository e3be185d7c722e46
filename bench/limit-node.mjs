import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** The limit of Node: node:http with nothing behind it, answering from memory what the service answered once. */
const { GET: get, POST: post } = JSON.parse(readFileSync(process.env.ANSWERS, 'utf8'));
for (const { headers, body } of [get, post]) {
  // Without it node:http would send the body in chunks, which takes longer.
  if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(get.status, get.headers).end(get.body ?? undefined);
    return;
  }
  // A create that does not read its body would be no limit of one that does.
  request.setEncoding('utf8');
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    if (text !== '') response.writeHead(post.status, post.headers).end(post.body);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
