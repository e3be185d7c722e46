import { afterAll, beforeEach, describe, expect, it } from 'bun:test';
import { mutants } from '../../src/mutants/index.ts';
import type { SandboxRequest } from '../../src/testing.mjs';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

const sandbox = await startSandbox({ count: 3 });
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const call = (path: string, init: RequestInit = {}, to: Sandbox = sandbox): Promise<Response> =>
  fetch(`${to.url}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${to.apiKey}`, ...(init.headers as Record<string, string>) },
  });
const create = (name: string, headers: Record<string, string> = {}) =>
  call('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
const journal = async (query = '', of: Sandbox = sandbox): Promise<SandboxRequest[]> =>
  (await (await call(`/sandbox/requests${query}`, {}, of)).json()) as SandboxRequest[];
const lines = (entries: SandboxRequest[]) =>
  entries.map(({ method, path, query, status }) => `${method} ${path}${query} ${status}`);

describe('GET /sandbox/requests', () => {
  it('lists what the sandbox got, newest last, without the key and without /sandbox itself', async () => {
    await call('/v1/pets?limit=2&status=sold&key=sandbox-key', { headers: { 'X-Tool': 'mine' } });
    await create('Rex', { 'Idempotency-Key': 'one' });
    await call('/openapi.json');
    await call('/v1/pets', { headers: { Authorization: 'Bearer mistyped' } });
    const entries = await journal();
    expect(lines(entries)).toEqual([
      'GET /v1/pets?limit=2&status=sold&key=<API_KEY> 200',
      'POST /v1/pets 201',
      'GET /openapi.json 200',
      'GET /v1/pets 401',
    ]);
    const [first, second] = entries;
    expect(first!.headers).toMatchObject({ authorization: 'Bearer <API_KEY>', 'x-tool': 'mine' });
    expect(second).toMatchObject({ id: first!.id + 1, body: '{"name":"Rex","categoryId":1}' });
    expect(second!.headers['idempotency-key']).toBe('one');
    expect(JSON.stringify(entries)).not.toContain(sandbox.apiKey);
  });

  it('keeps the first 4 KiB of a body', async () => {
    await create('x'.repeat(10_000));
    expect((await journal())[0]!.body).toBe(`{"name":"${'x'.repeat(4096 - 9)}`);
  });

  it('lists those after an id, and starts anew after DELETE and after a reset', async () => {
    for (const limit of [1, 2, 3]) await call(`/v1/pets?limit=${limit}`);
    const [first] = await journal();
    expect(lines(await journal(`?since=${first!.id}`))).toEqual([
      'GET /v1/pets?limit=2 200',
      'GET /v1/pets?limit=3 200',
    ]);
    expect(await journal(`?since=${first!.id + 2}`)).toEqual([]);
    expect((await call('/sandbox/requests?since=now')).status).toBe(400);
    for (const empty of [
      () => call('/sandbox/requests', { method: 'DELETE' }),
      () => call('/sandbox/reset', { method: 'POST' }),
    ]) {
      await call('/v1/pets');
      expect((await empty()).status).toBe(204);
      expect(await journal()).toEqual([]);
    }
    await call('/v1/pets');
    expect((await journal())[0]!.id).toBe(first!.id + 5);
  });

  it('tells which fault a request met, and that a response was cut off', async () => {
    const faults = ['status=503', 'delay=0ms', 'cut=before-commit', 'cut=after-commit', 'cut=mid-body'];
    for (const fault of faults) {
      await create('Rex', { 'Petstore-Fault': fault })
        .then((response) => response.text())
        .catch(() => 'cut');
    }
    await create('Rex', { 'Petstore-Fault': 'delay=0ms;rate=0' });
    const entries = await journal();
    expect(entries.map(({ fault }) => fault)).toEqual([...faults, undefined]);
    expect(entries.map(({ status }) => status)).toEqual([503, 201, null, null, 201, 201]);
    await call('/sandbox/faults', { method: 'POST', body: '{"operation":"listPets","fault":"status=500"}' });
    await call('/v1/pets');
    expect((await journal()).at(-1)).toMatchObject({ fault: 'status=500', status: 500 });
  });

  it('tells which mutant answered', async () => {
    const { number, wrap } = mutants.find(({ name }) => name === 'create-200')!;
    await using mutant = await startSandbox({ count: 0, wrap, mutant: number });
    await call('/v1/pets', {}, mutant);
    expect(await journal('', mutant)).toMatchObject([{ path: '/v1/pets', status: 200, mutant: number }]);
  });

  it('keeps the last thousand', async () => {
    await call('/v1/pets/first');
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, () => call('/v1/pets/more').then((response) => response.text())),
      );
    }
    const entries = await journal();
    expect(entries).toHaveLength(1000);
    expect(new Set(entries.map(({ path }) => path))).toEqual(new Set(['/v1/pets/more']));
  });
});
