import { afterAll, beforeEach, describe, expect, expectTypeOf, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations as documented } from '../../../../test/support/contract/openapi.ts';
import { outcomeOf } from '../../../../test/support/http/calls.ts';
import { outputOf, project } from '../../../../test/support/process/package.ts';
import { parseFault } from '../../src/sandbox/faults/fault.ts';
import { operations } from '../../src/sandbox/faults/planned.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { PlannedFault } from '../../src/testing.mjs';

const sandbox = await startSandbox({ count: 3, faults: parseFault('status=500') });
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

/** Without a fault of its own, each request to the API would be the 500 of all requests. */
const noFault = { 'Petstore-Fault': 'delay=0ms' };
const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  fetch(`${sandbox.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
const plan = (fault: unknown) => call('POST', '/sandbox/faults', {}, JSON.stringify(fault));
const create = (headers?: Record<string, string>) =>
  call('POST', '/v1/pets', headers, '{"name":"Rex","categoryId":1}').then(
    ({ status }) => status,
    () => 'cut',
  );
const list = async () => (await call('GET', '/v1/pets')).status;
const countPets = async (): Promise<number> =>
  ((await (await call('GET', '/v1/pets', noFault)).json()) as unknown[]).length;
const planned = async (): Promise<unknown> => (await call('GET', '/sandbox/faults')).json();

describe('POST /sandbox/faults', () => {
  it('fails the next two creates after the commit, as docs/sandbox.md shows, and no other request', async () => {
    const page = readFileSync(join(project, 'docs/sandbox.md'), 'utf8');
    const [command = ''] = /curl .*\/sandbox\/faults.*\n.*/.exec(page) ?? [];
    await outputOf(['sh', '-c', command.replace('http://127.0.0.1:8080', sandbox.url)], project);
    expect(await list()).toBe(500);
    expect([await create(), await create(), await create()]).toEqual(['cut', 'cut', 500]);
    expect(await countPets()).toBe(5);
  });

  it('counts one request by default, and lists what is left', async () => {
    await plan({ operation: 'createPet', fault: 'status=503', count: 2 });
    await plan({ operation: 'listPets', fault: 'status=504' });
    expect(await create()).toBe(503);
    expect(await planned()).toEqual([
      { operation: 'createPet', fault: 'status=503', count: 1 },
      { operation: 'listPets', fault: 'status=504', count: 1 },
    ]);
    expect([await list(), await list(), await create(), await create()]).toEqual([504, 500, 503, 500]);
    expect(await planned()).toEqual([]);
  });

  it('takes the code of the error', async () => {
    await plan({ operation: 'createPet', fault: 'status=503;code=overloaded' });
    expect(await outcomeOf(call('POST', '/v1/pets'))).toBe('503 overloaded');
  });

  it.each([
    ['createPet', 'POST', '/v1/pets', 'invalid_pet'],
    ['updatePet', 'PATCH', '/v1/pets/1', 'invalid_pet'],
    ['putCategory', 'PUT', '/v1/categories/7', 'invalid_category'],
    ['listPets', 'GET', '/v1/pets', 'invalid_parameter'],
  ])('gives a 400 of %s the code that the service would send', async (operation, method, path, code) => {
    await plan({ operation, fault: 'status=400' });
    expect(await outcomeOf(call(method, path))).toBe(`400 ${code}`);
  });

  it('leaves a request alone that names its own fault, and does not count it', async () => {
    await plan({ operation: 'createPet', fault: 'status=503' });
    expect([await create(noFault), await create()]).toEqual([201, 503]);
  });

  it.each(documented.map(({ operationId, method, path }) => [operationId, method, path] as const))(
    'hits %s',
    async (operation, method, path) => {
      await plan({ operation, fault: 'status=502' });
      expect((await call(method, path.replace(/\{\w+\}/, '7'))).status).toBe(502);
    },
  );

  it('knows every operation of the contract, and so do its types', () => {
    expect(Object.keys(operations).toSorted()).toEqual(
      documented.map(({ operationId }) => operationId).toSorted(),
    );
    expectTypeOf<PlannedFault['operation']>().toEqualTypeOf<keyof typeof operations>();
  });

  it.each([
    ['{', '400 invalid_json'],
    ['null', '400 invalid_parameter'],
    ['{"operation":"toString","fault":"status=503"}', '400 invalid_parameter'],
    ['{"operation":"createPet"}', '400 invalid_parameter'],
    ['{"operation":"createPet","fault":"status=200"}', '400 invalid_parameter'],
    ['{"operation":"createPet","fault":"status=503","count":0}', '400 invalid_parameter'],
    ['{"operation":"createPet","fault":"status=500;code=overloaded"}', '400 invalid_parameter'],
    ['{"operation":"createPet","fault":"status=503;code=busy"}', '400 invalid_parameter'],
  ])('refuses %s', async (body, outcome) => {
    expect(await outcomeOf(call('POST', '/sandbox/faults', {}, body))).toBe(outcome);
    expect(await planned()).toEqual([]);
  });
});

describe('planned faults', () => {
  it.each([
    ['DELETE', '/sandbox/faults'],
    ['POST', '/sandbox/reset'],
  ])('are gone after %s %s', async (method, path) => {
    await plan({ operation: 'createPet', fault: 'status=503' });
    expect((await call(method, path)).status).toBe(204);
    expect(await create()).toBe(500);
  });
});

describe('the control of a sandbox', () => {
  it.each([
    ['POST', '/sandbox/reset'],
    ['GET', '/sandbox/requests'],
    ['GET', '/sandbox/faults'],
    ['POST', '/sandbox/faults'],
    ['DELETE', '/sandbox/faults'],
  ])('needs the key: %s %s', async (method, path) => {
    expect(await create(noFault)).toBe(201);
    const asked = fetch(`${sandbox.url}${path}`, { method });
    expect(await outcomeOf(asked)).toBe('401 unauthorized');
    const wrong = call(method, path, { Authorization: 'Bearer other' });
    expect(await outcomeOf(wrong)).toBe('401 invalid_api_key');
    expect(await countPets()).toBe(4);
  });
});
