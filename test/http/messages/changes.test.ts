import { afterAll, expect, it } from 'bun:test';
import { addPet } from '../../support/http/calls.ts';
import { openConnection } from '../../support/http/raw-http.ts';
import { openService } from '../../support/http/service.ts';
import { listen } from '../../support/http/socket.ts';

/** A caller who is told that its message is broken must not find the pet deleted. Creates are in whole-messages.test.ts. */

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

it.each<[title: string, status: 204 | 400, afterTheHost: string]>([
  ['no body', 204, '\r\n'],
  ['a body', 204, 'Content-Length: 2\r\n\r\n{}'],
  ['a bad chunk', 400, 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['junk behind it', 400, '\r\n\0\0 junk\r\n\r\n'],
  ['two lengths', 400, 'Content-Length: 1\r\nContent-Length: 2\r\n\r\n'],
])('a DELETE with %s is %d, and the pet is gone only after a 204', async (_title, status, afterTheHost) => {
  const path = `/v1/pets/${await addPet(service.call)}`;
  using connection = await openConnection(server.url);
  const authorization = `Authorization: Bearer ${service.apiKey}`;
  connection?.write(`DELETE ${path} HTTP/1.1\r\nHost: petstore\r\n${authorization}\r\n${afterTheHost}`);
  expect(await connection?.receive()).toMatchObject({ status });
  while (running.size > 0) await Promise.allSettled(running);
  expect((await service.call(path)).status).toBe(status === 204 ? 404 : 200);
});
