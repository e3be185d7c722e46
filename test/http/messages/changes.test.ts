import { afterAll, describe, expect, it } from 'bun:test';
import { addPet } from '../../support/http/calls.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openService } from '../../support/http/service.ts';
import { listen } from '../../support/http/socket.ts';

/** A caller who is told that its message is broken must not find the change made. */

const service = await openService();
const running = new Set<Promise<Response>>();
const server = listen({
  fetch(request) {
    const response = Promise.resolve(service.app.fetch(request));
    running.add(response);
    return response.finally(() => running.delete(response));
  },
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await service.close();
});

const body = '{"name":"Changed"}';
const head = (method: string, id: string, framing: string): string =>
  [
    `${method} /v1/pets/${id} HTTP/1.1`,
    'Host: petstore',
    `Authorization: Bearer ${service.apiKey}`,
    'Content-Type: application/json',
    ...(framing === '' ? [] : [framing]),
    '',
    '',
  ].join('\r\n');
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
const counted = `Content-Length: ${body.length}`;

/** Sends one message on a connection of its own, and tells what came back and whether the pet has changed. */
async function outcomeOf(
  message: (id: string) => string,
): Promise<[status: number | string, changed: boolean]> {
  const id = await addPet(service.call);
  const before = await (await service.call(`/v1/pets/${id}`)).text();
  using connection = await openConnection(server.url);
  connection?.write(message(id));
  const response = await connection?.receive();
  while (running.size > 0) await Promise.allSettled(running);
  const after = await (await service.call(`/v1/pets/${id}`)).text();
  return [response instanceof Response ? response.status : String(response), after !== before];
}

describe('a whole message', () => {
  it.each<[string, number, (id: string) => string]>([
    ['a counted PATCH', 200, (id) => head('PATCH', id, counted) + body],
    ['a PATCH in chunks', 200, (id) => `${head('PATCH', id, 'Transfer-Encoding: chunked')}${chunk}0\r\n\r\n`],
    ['a DELETE without a body', 204, (id) => head('DELETE', id, '')],
    ['a DELETE with a body', 204, (id) => head('DELETE', id, counted) + body],
  ])('changes the pet: %s', async (_title, status, message) => {
    expect(await outcomeOf(message)).toEqual([status, true]);
  });
});

describe('a broken message', () => {
  it.each<[string, (id: string) => string]>([
    [
      'a PATCH with a bad second chunk',
      (id) => `${head('PATCH', id, 'Transfer-Encoding: chunked')}${chunk}zz\r\n`,
    ],
    ['a PATCH with junk behind it', (id) => `${head('PATCH', id, counted)}${body}\0\0 junk\r\n\r\n`],
    ['a DELETE with a bad chunk', (id) => `${head('DELETE', id, 'Transfer-Encoding: chunked')}zz\r\n`],
    ['a DELETE with junk behind it', (id) => `${head('DELETE', id, '')}\0\0 junk\r\n\r\n`],
    ['a DELETE with two lengths', (id) => head('DELETE', id, 'Content-Length: 1\r\nContent-Length: 2')],
  ])('changes nothing: %s', async (_title, message) => {
    const [status, changed] = await outcomeOf(message);
    expect([200, 204]).not.toContain(status);
    expect(changed).toBe(false);
  });
});
