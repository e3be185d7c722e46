import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { requestIdOf } from '../../src/http/endpoint.ts';
import { createThrottledLog } from '../../src/http/request-log.ts';
import { issueKey } from '../../src/stores/issue-key.ts';
import { createLog, type LogFields } from '../../src/system/log.ts';
import { post, rex } from '../support/http/calls.ts';
import { openService, type Service, type ServiceOptions } from '../support/http/service.ts';
import { listen } from '../support/http/socket.ts';
import { makeSqlitePlace } from '../support/store-place.ts';

type Line = LogFields & { level: string; message: string };

let lines: Line[];
let opened: Service[];
beforeEach(() => {
  lines = [];
  opened = [];
});
afterEach(() => Promise.all(opened.map((service) => service.close())));

const open = async (options: ServiceOptions = {}): Promise<Service> => {
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const log = createLog({ level: 'debug', write });
  // On a busy machine, any request may be a slow one.
  const slowRequestMs = Infinity;
  const service = await openService({ log, peerOf: () => '192.0.2.7', slowRequestMs, ...options });
  opened.push(service);
  return service;
};
const linesOf = (message: string) => lines.filter((line) => line.message === message);

describe('a line of the access log', () => {
  it('names the key, the client, and the bytes, and never the query', async () => {
    const service = await open({ accessLog: true });
    const { key, text } = await issueKey(service.keys, { name: 'till-2', now: new Date() });
    const headers = { 'X-Request-Id': 'r-1' };
    await service.callAs(`Bearer ${text}`, '/v1/pets', post(rex));
    await service.callAs(`Bearer ${text}`, '/v1/pets?status=sold&limit=5&token=secret', { headers });
    await service.callAs(`Bearer ${text}`, '/v1/pets?limit=secret', { headers });
    const [created, listed, refused] = linesOf('request');
    const who = { keyId: key.id, key: 'till-2', client: '192.0.2.7', level: 'info', path: '/v1/pets' };
    expect(created).toMatchObject({ ...who, method: 'POST', status: 201, bytes: expect.any(Number) });
    expect(listed).toMatchObject({
      ...{ ...who, method: 'GET', status: 200, bytes: 2 },
      ...{ durationMs: expect.any(Number), requestId: 'r-1' },
    });
    expect(refused).toMatchObject({ ...who, status: 400 });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('is written for a slow request even without --access-log', async () => {
    const service = await open({ slowRequestMs: -1 });
    await service.call('/v1/pets/5?key=secret', { headers: { 'X-Request-Id': 'r-1' } });
    expect(linesOf('slow request')).toMatchObject([
      { level: 'warn', path: '/v1/pets/:petId', requestId: 'r-1', status: 404 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('has no bytes for HEAD and 304, and no id for a key from API_KEYS', async () => {
    const service = await open({ accessLog: true });
    const etag = (await service.call('/v1/pets')).headers.get('ETag') ?? '';
    await service.call('/v1/pets', { method: 'HEAD' });
    await service.call('/v1/pets', { headers: { 'If-None-Match': etag } });
    expect(linesOf('request').map(({ status, bytes }) => [status, bytes])).toEqual([
      [200, 2],
      [200, 0],
      [304, 0],
    ]);
    expect(lines[0]).toMatchObject({ key: 'API_KEYS' });
    expect(lines[0]).not.toHaveProperty('keyId');
  });
});

describe('a request id', () => {
  const key = 'pets_0123456789abcdefghijklmnopqrstuv';
  const idOf = (authorization: string, id: string) =>
    requestIdOf(
      new Request('http://localhost', { headers: { Authorization: authorization, 'X-Request-Id': id } }),
    );

  it.each([
    [`Bearer ${key}`, key],
    [`bearer  ${key}`, `id-${key}-1`],
    [`Bearer ${key}`, key.slice(0, 8)],
    [`Bearer ${key}`, key.slice(5, -4)],
    [`Bearer ${key}`, key.slice(-8)],
    [key, key],
    [`Token ${key}`, key.slice(4)],
    [`Bearer ${key}, Bearer other`, key],
    [`Bearer other, Bearer ${key}`, key.slice(0, -1)],
    ['Bearer x7', 'order-x7'],
    [`Bearer\t${key}`, `job-${key}`],
    [`Bearer "${key}"`, key.slice(4)],
    [`Bearer: ${key};`, key],
  ])('beside %p is replaced if it is %p', (authorization, id) => {
    expect(idOf(authorization, id)).toMatch(/^[\da-f]{8}-/);
  });

  it.each([key.slice(0, 7), 'checkout-7f3a', 'Bearer'])('is kept if it is %p', (id) => {
    expect(idOf(`Bearer ${key}`, id)).toBe(id);
  });
});

describe('the log of refused requests', () => {
  it('logs the first 401 of each address at once and counts the others', async () => {
    let client = '';
    const service = await open({ peerOf: () => client });
    // A socket that serves both families shows IPv4 in the longer form.
    for (client of ['203.0.113.1', '203.0.113.2', '203.0.113.1', '::ffff:203.0.113.1']) {
      await service.callAs(null, '/v1/pets');
    }
    expect(linesOf('requests without a valid key')).toMatchObject([
      { level: 'warn', client: '203.0.113.1', count: 1 },
      { level: 'warn', client: '203.0.113.2', count: 1 },
    ]);
  });

  it('counts addresses together when there are too many to keep', async () => {
    let client = 0;
    const service = await open({ peerOf: () => `2001:db8::${client.toString(16)}` });
    for (; client < 1010; client++) await service.callAs('Bearer wrong', '/v1/pets');
    const logged = linesOf('requests without a valid key');
    expect(logged).toHaveLength(1001);
    expect(logged.at(-1)).toMatchObject({ client: 'others', count: 1 });
  });

  it('explains every refusal at level debug', async () => {
    const service = await open();
    await service.call('/v1/pets?limit=0', { headers: { 'X-Request-Id': 'r-2' } });
    expect(linesOf('request refused')).toMatchObject([
      {
        ...{ level: 'debug', method: 'GET', path: '/v1/pets', status: 400, code: 'invalid_parameter' },
        ...{ reason: expect.stringContaining('limit'), key: 'API_KEYS', client: '192.0.2.7' },
        requestId: 'r-2',
      },
    ]);
  });
});

describe('the log of a request that fails', () => {
  it('has one line for a bug, with the stack once', async () => {
    await using place = await makeSqlitePlace();
    const service = await open({ openStore: () => place.open() });
    {
      using other = new Database(place.path);
      other.run("CREATE TRIGGER bug BEFORE INSERT ON pets BEGIN SELECT RAISE(ABORT, 'a bug'); END");
    }
    for (const id of ['r-1', 'r-2']) {
      const { status } = await service.call('/v1/pets', post(rex, { 'X-Request-Id': id }));
      expect(status).toBe(500);
    }
    const failed = linesOf('request failed');
    expect(failed).toMatchObject([
      { level: 'error', code: 'internal', requestId: 'r-1' },
      { level: 'error', code: 'internal', requestId: 'r-2' },
    ]);
    for (const { error } of failed) {
      expect(error).toMatch(/^SQLiteError: a bug\n +at /);
      expect(String(error).match(/Error:/g)).toHaveLength(1);
    }
  });

  it('says that it is the caller’s mistake if the runtime refuses the message', async () => {
    const service = await open({ accessLog: true });
    await using server = listen(service.app);
    const key = `Authorization: Bearer ${service.apiKey}\r\nContent-Type: application/json`;
    const body = '{"name":"Rex","categoryId":1}';
    await server.exchange(
      `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\n${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}\r\n`,
    );
    while (lines.length === 0) await Bun.sleep(1);
    expect(lines.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'info', method: 'POST', status: 400 },
    ]);
  });

  it('is empty if it fails because the service is stopping', async () => {
    const service = await open({ isStopping: () => true });
    expect((await service.callAs(null, '/readyz')).status).toBe(503);
    expect(lines).toEqual([]);
  });
});

it('a throttled log writes the following events once per period while there are any, and then forgets the kind', async () => {
  const logged: unknown[] = [];
  const periodMs = 50;
  const count = createThrottledLog(
    (client, times, fields) => void logged.push({ client, count: times, ...fields }),
    periodMs,
  );

  for (let index = 0; index < 5; index++) count('192.0.2.7', { key: `till-${index}` });
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 1, key: 'till-0' }]);
  while (logged.length === 0) await Bun.sleep(1);
  expect(logged.splice(0)).toEqual([{ client: '192.0.2.7', count: 4, key: 'till-4' }]);
  await Bun.sleep(3 * periodMs);
  expect(logged).toEqual([]);
  // Forgotten, so the next one is logged at once again.
  count('192.0.2.7');
  expect(logged).toEqual([{ client: '192.0.2.7', count: 1 }]);
});
