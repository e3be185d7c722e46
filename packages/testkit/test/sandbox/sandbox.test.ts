import { afterAll, describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { parseFault } from '../../src/sandbox/faults/fault.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { openConnection, requestText } from '../../../../test/support/http/raw-http.ts';
import { makeFolder } from '../../../../test/support/process/process.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.stop());

const call = ({ url, apiKey }: Sandbox, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      ...(init.headers as Record<string, string>),
    },
  });
const create = (to: Sandbox, headers: Record<string, string>): Promise<Response> =>
  call(to, '/v1/pets', {
    method: 'POST',
    headers,
    body: '{"name":"Rex","categoryId":1,"status":"sold"}',
  });
const textOf = async (from: Sandbox, path: string): Promise<string> => (await call(from, path)).text();

describe('a sandbox', () => {
  it('has the same pets for the same seed on every machine', async () => {
    const text = await textOf(sandbox, '/v1/pets?limit=3');
    expect(text).toBe(
      '[{"id":1,"name":"Simba","categoryId":9,"status":"available"},' +
        '{"id":2,"name":"Hazel","categoryId":8,"status":"pending"},{"id":3,"name":"Ginger","categoryId":11}]',
    );
    expect(await textOf(sandbox, '/v1/pets/100')).toStartWith('{"id":100,');
    expect((await call(sandbox, '/v1/pets/101')).status).toBe(404);
  });

  it('goes back to its pets, orders, categories, ids and idempotency keys when it is reset', async () => {
    const lists = ['/v1/pets?limit=100', '/v1/store/orders?limit=100', '/v1/categories'];
    const textsOf = () => Promise.all(lists.map((path) => textOf(sandbox, path)));
    const before = await textsOf();
    const [, orders, categories] = before;
    expect(orders).toStartWith('[{"id":1,"petId":2,"name":"Hazel","categoryId":8,"status":"pending",');
    expect(categories).toStartWith('[{"id":1,"name":"Dogs"},{"id":2,"name":"Cats"},');
    const key = { 'Idempotency-Key': 'one' };
    for (const reset of [
      async () => sandbox.reset(),
      () => call(sandbox, '/sandbox/reset', { method: 'POST' }),
    ]) {
      const first = await create(sandbox, key);
      expect(first.headers.get('Location')).toBe('/v1/pets/101');
      expect(first.headers.get('Idempotent-Replayed')).toBeNull();
      expect((await create(sandbox, key)).headers.get('Idempotent-Replayed')).toBe('true');
      await call(sandbox, '/v1/categories/1', { method: 'PUT', body: '{"name":"Hounds"}' });
      for (const path of ['/v1/categories/2', '/v1/pets/1'])
        expect((await call(sandbox, path, { method: 'DELETE' })).status).toBe(204);
      for (const [index, text] of (await textsOf()).entries()) expect(text).not.toBe(before[index]!);
      await reset();
      expect(await textsOf()).toEqual(before);
      expect((await call(sandbox, '/v1/pets/101')).status).toBe(404);
    }
  });

  it('begins a new log of events when it is reset, and refuses a cursor from before', async () => {
    const nextPage = async () =>
      /^<(.*)>/.exec((await call(sandbox, '/v1/events?after=now')).headers.get('Link') ?? '')?.[1] ?? '';
    const before = await nextPage();
    sandbox.reset();
    const gone = await call(sandbox, `/v1/events${before}`);
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('"events_gone"')]);
    expect(await textOf(sandbox, '/v1/events?type=pet.created&limit=1')).toContain('"name":"Simba"');
    expect(await textOf(sandbox, `/v1/events${await nextPage()}`)).toBe('[]');
  });

  it('serves only the stable operations if it is told to', async () => {
    await using stable = await startSandbox({ count: 1, stableOnly: true });
    expect((await call(stable, '/v1/pets/1', { method: 'DELETE' })).status).toBe(405);
    expect((await call(stable, '/v1/store/orders')).status).toBe(404);
  });

  it('leaves neither a file nor a port behind', async () => {
    using folder = makeFolder();
    const { TMPDIR } = process.env;
    process.env['TMPDIR'] = folder.path;
    const stopped = await startSandbox();
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    expect(readdirSync(folder.path).length).toBe(1);
    await stopped.stop();
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await fetch(stopped.url).then(String, () => 'refused')).toBe('refused');
  });

  it('wraps the API in a layer, again after each reset', async () => {
    let layers = 0;
    await using wrapped = await startSandbox({
      wrap: (next) => {
        layers += 1;
        return async (request) => {
          const response = await next(request);
          response.headers.set('X-Layer', String(layers));
          return response;
        };
      },
    });
    expect((await call(wrapped, '/v1/pets')).headers.get('X-Layer')).toBe('1');
    wrapped.reset();
    expect((await call(wrapped, '/v1/pets')).headers.get('X-Layer')).toBe('2');
  });
});

describe('two sandboxes with one seed', () => {
  /** Lists, gets, and creates with and without a key that was used before. */
  const requestsOf = (index: number): Parameters<typeof requestText>[] => {
    const common = { key: 'sandbox-key', headers: { 'X-Request-Id': `session-${index}` } };
    const added = { ...common, body: `{"name":"Pet ${index}","categoryId":1}` };
    const once = { ...common.headers, 'Idempotency-Key': `key-${index % 7}` };
    return [
      ['GET', `/v1/pets?limit=${index % 12}&status=sold`, 'localhost', common],
      ['GET', `/v1/pets/${index}`, 'localhost', common],
      ['POST', '/v1/pets', 'localhost', added],
      ['POST', '/v1/pets', 'localhost', { ...added, headers: once }],
    ];
  };
  /** The bytes of all responses but for the date. */
  const recorded = async (options: SandboxOptions): Promise<string[]> => {
    await using own = await startSandbox(options);
    using connection = (await openConnection(own.url))!;
    const responses: string[] = [];
    for (const request of Array.from({ length: 40 }, (_, index) => requestsOf(index)).flat()) {
      connection.write(requestText(...request));
      const response = await connection.receiveBytes();
      if (typeof response === 'string') throw new Error(response);
      responses.push(`${response.head}\n${String(response.body)}`.replace(/^Date: .*$/m, ''));
    }
    return responses;
  };

  it('respond to the same requests with the same bytes', async () => {
    const options = { seed: 7, faults: parseFault('status=503;rate=0.1'), faultSeed: 3 };
    const [first, second] = await Promise.all([recorded(options), recorded(options)]);
    expect(second).toEqual(first);
    expect(await recorded({ ...options, faultSeed: 4 })).not.toEqual(first);
  });
});
