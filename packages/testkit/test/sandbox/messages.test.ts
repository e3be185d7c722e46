import { afterAll, describe, expect, it } from 'bun:test';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openListeningService } from '../../../../test/support/http/listening.ts';
import { openTemporarySqlite } from '../../../../test/support/http/service.ts';
import { openConnection } from '../../../../test/support/http/raw-http.ts';

// Pages of any origin may call a sandbox; a service says so as well once it lists an origin.
const service = await openListeningService({
  openStore: openTemporarySqlite,
  allowedOrigins: ['https://shop.example'],
});
const sandbox = await startSandbox({ count: 0, apiKey: service.apiKey });
afterAll(async () => {
  await sandbox.stop();
  await service[Symbol.asyncDispose]();
});

async function outcomeOf(url: string, message: string): Promise<unknown> {
  using connection = (await openConnection(url))!;
  connection.write(message);
  const outcome = await connection.receive();
  if (typeof outcome === 'string') return outcome;
  const headers = [...outcome.headers].filter(([name]) => name !== 'date');
  return { status: outcome.status, headers, body: await outcome.text() };
}

const head = (line: string, ...lines: string[]): string =>
  [line, 'Host: localhost', 'X-Request-Id: one', ...lines, '', ''].join('\r\n');

describe('a sandbox', () => {
  it.each([
    ['a list', (key: string) => head('GET /v1/pets HTTP/1.1', `Authorization: Bearer ${key}`)],
    ['HTTP/1.0', (key: string) => head('GET /v1/pets HTTP/1.0', `Authorization: Bearer ${key}`)],
    ['no host', () => 'POST /v1/pets HTTP/1.0\r\nX-Request-Id: one\r\n\r\n'],
    ['no key', () => head('GET /v1/pets HTTP/1.1')],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['an unknown method', () => head('FLY /v1/pets HTTP/1.1')],
    ['an unknown version', () => head('GET / HTTP/9.9')],
    ['two lengths', () => head('POST /v1/pets HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    ['a bad chunk', () => `${head('POST /v1/pets HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n`],
    ['too long a header', () => head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(100_000)}`)],
  ])('responds to %s exactly as the service does', async (_title, messageOf) => {
    const message = messageOf(service.apiKey);
    expect(await outcomeOf(sandbox.url, message)).toEqual(await outcomeOf(service.url, message));
  });

  it('passes on large bodies whole', async () => {
    const name = '\u0001'.repeat(255);
    const headers = { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name, categoryId: 1 });
    for (let index = 0; index < 50; index++) {
      const response = await fetch(`${sandbox.url}/v1/pets`, { method: 'POST', headers, body });
      expect(response.status).toBe(201);
    }
    const list = (await (await fetch(`${sandbox.url}/v1/pets?limit=50`, { headers })).json()) as {
      name: string;
    }[];
    expect(list.map((pet) => pet.name)).toEqual(Array<string>(50).fill(name));
  });
});
