import { afterAll, describe, expect, it } from 'bun:test';
import { checkedFetch } from '../../../../test/support/contract/conformance.ts';
import { operations } from '../../../../test/support/contract/openapi.ts';
import { statusOfCode } from '../../../../src/domain/error.ts';
import { createClient } from '../../../client/src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseFault } from '../../src/sandbox/faults/fault.ts';
import {
  openConnection,
  requestText,
  type RawOutcome,
  type RawRequest,
} from '../../../../test/support/http/raw-http.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.stop());

/** Sends one request with a fault on a connection of its own. */
async function send(
  fault: string,
  method = 'GET',
  path = '/v1/pets',
  request: RawRequest = {},
): Promise<RawOutcome> {
  using connection = (await openConnection(sandbox.url))!;
  const headers = { 'Petstore-Fault': fault, ...request.headers };
  connection.write(requestText(method, path, 'localhost', { key: sandbox.apiKey, ...request, headers }));
  return await connection.receive();
}

async function responseTo(...args: Parameters<typeof send>): Promise<Response> {
  const outcome = await send(...args);
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
}

const newPet = (name: string): RawRequest => ({ body: `{"name":"${name}","categoryId":1}` });

async function isStored(name: string): Promise<boolean> {
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  for await (const pet of client.pets({ limit: 100 })) if (pet.name === name) return true;
  return false;
}

describe('Petstore-Fault', () => {
  it.each(operations.map(({ operationId, ...operation }) => [operationId, operation] as const))(
    'gives the errors of %s the body and headers of the contract',
    async (_name, { method, path, responses }) => {
      for (const status of Object.keys(responses).filter((name) => /^[45]/.test(name))) {
        const url = `${sandbox.url}${path.replace('{petId}', '1')}`;
        const headers = { Authorization: `Bearer ${sandbox.apiKey}`, 'Petstore-Fault': `status=${status}` };
        expect((await checkedFetch(url, { method, headers })).status).toBe(Number(status));
      }
    },
  );

  it('gives every status of the API its usual code', async () => {
    const codes = {
      400: 'invalid_parameter',
      401: 'unauthorized',
      403: 'forbidden',
      404: 'not_found',
      405: 'method_not_allowed',
      408: 'request_timeout',
      410: 'events_gone',
      412: 'precondition_failed',
      413: 'payload_too_large',
      415: 'unsupported_media_type',
      422: 'idempotency_conflict',
      429: 'rate_limited',
      500: 'internal',
      502: 'unavailable',
      503: 'unavailable',
      504: 'unavailable',
    };
    const statuses = new Set([...Object.values(statusOfCode), 502, 504].map(String));
    expect(new Set(Object.keys(codes))).toEqual(statuses);
    for (const [status, code] of Object.entries(codes)) {
      const response = await responseTo(`status=${status}`);
      expect(response.status).toBe(Number(status));
      expect(await response.json()).toMatchObject({ code, status: Number(status) });
    }
    expect((await responseTo('status=405')).headers.has('Allow')).toBe(true);
  });

  it('sends the Retry-After of the fault', async () => {
    expect((await responseTo('status=429;retry-after=3')).headers.get('Retry-After')).toBe('3');
    expect((await responseTo('status=503;retry-after=0')).headers.get('Retry-After')).toBe('0');
  });

  it('delays a response at least as long as it says', async () => {
    for (const fault of ['delay=250ms', 'delay=250ms..300ms']) {
      const startedAt = performance.now();
      expect((await responseTo(fault)).status).toBe(200);
      expect(performance.now() - startedAt).toBeGreaterThan(240);
    }
  });

  it('cuts the connection before anything is stored', async () => {
    expect(await send('cut=before-commit', 'POST', '/v1/pets', newPet('Before'))).toBe('unanswered');
    expect(await isStored('Before')).toBe(false);
  });

  it('cuts the connection after the pet is stored', async () => {
    expect(await send('cut=after-commit', 'POST', '/v1/pets', newPet('After'))).toBe('unanswered');
    expect(await isStored('After')).toBe(true);
  });

  it('cuts the connection within the body', async () => {
    expect(await send('cut=mid-body')).toBe('truncated');
    expect(await send('cut=mid-body;status=503')).toBe('truncated');
  });

  it('sends a whole response slowly, and the next one on the connection at once', async () => {
    using connection = (await openConnection(sandbox.url))!;
    const ask = async (fault: string) => {
      const startedAt = performance.now();
      const headers = { 'Petstore-Fault': fault };
      connection.write(requestText('GET', '/v1/pets', 'localhost', { key: sandbox.apiKey, headers }));
      const text = await ((await connection.receive()) as Response).text();
      return { text, elapsedMs: performance.now() - startedAt };
    };
    const plain = await ask('delay=0ms');
    const slow = await ask('trickle=4kb/s');
    // The head takes time as well.
    expect(slow.elapsedMs).toBeGreaterThan((1000 * (plain.text.length - 250)) / 4096);
    expect([slow.text, (await ask('delay=0ms')).text]).toEqual([plain.text, plain.text]);
  });

  it('spoils the JSON and keeps its length', async () => {
    const sound = await (await responseTo('delay=0ms')).text();
    const spoiled = await (await responseTo('corrupt=json')).text();
    expect(() => JSON.parse(sound) as unknown).not.toThrow();
    expect(() => JSON.parse(spoiled) as unknown).toThrow();
    expect(spoiled.length).toBe(sound.length);
  });

  it.each([
    '',
    'toString=1',
    'delay=2s..1s',
    'delay=61s',
    'status=200',
    'cut=later',
    'trickle=0kb/s',
    'rate=0.5',
    'status=503;rate=2',
    'status=503;status=500',
  ])('refuses %j with 400', async (fault) => {
    const response = await responseTo(fault);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', status: 400 });
  });
});

describe('faults with a rate', () => {
  const outcomes = async ({ url, apiKey }: Sandbox): Promise<number[]> => {
    const seen: number[] = [];
    for (let index = 0; index < 60; index++) {
      const response = await fetch(`${url}/v1/pets?limit=1`, {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
      await response.arrayBuffer();
      seen.push(response.status);
    }
    return seen;
  };

  it('hit the same requests for the same fault seed, even after a reset', async () => {
    const faults = parseFault('status=503;rate=0.3');
    await using one = await startSandbox({ faults, faultSeed: 5 });
    await using other = await startSandbox({ faults, faultSeed: 6 });
    const first = await outcomes(one);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    one.reset();
    expect(await outcomes(one)).toEqual(first);
    expect(await outcomes(other)).not.toEqual(first);
  });
});
