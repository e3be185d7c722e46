import { afterAll, describe, expect, it } from 'bun:test';
import { baseAddressOf, createApi, type Api } from '../../src/conform/api.ts';
import { checksFor } from '../../src/conform/checks.ts';
import { parseExactJson } from '../../src/conform/exact-json.ts';
import { findingsOf } from '../../src/conform/findings.ts';
import { redact } from '../../src/conform/redact.ts';
import { runChecks } from '../../src/conform/run.ts';
import { openService, openTemporarySqlite } from '../../../../test/support/http/service.ts';

type Fetch = NonNullable<Parameters<typeof createApi>[0]['fetch']>;

const service = await openService({ openStore: openTemporarySqlite });
afterAll(() => service.close());

/** The service behind something that may spoil requests and responses. */
function openApi(spoil: (request: Request, next: Fetch) => Response | Promise<Response>): Api {
  const next: Fetch = async (url, init) => service.app.fetch(new Request(url, init));
  return createApi({
    url: 'http://localhost',
    apiKey: service.apiKey,
    fetch: async (url, init) => spoil(new Request(url, init), next),
  });
}

const pass = (request: Request) => service.app.fetch(request);

async function failuresOf(api: Api) {
  return (await runChecks(api)).flatMap(({ check, failure }) => {
    if (!failure) return [];
    const { sent, expected, seen } = failure;
    return [{ name: check.name, sent, expected, seen }];
  });
}

describe('the checks', () => {
  it('include the contract in the strict profile', () => {
    const contract = checksFor('contract');
    expect(checksFor('strict').slice(0, contract.length)).toEqual(contract);
    expect(new Set(contract.map(({ profile }) => profile))).toEqual(new Set(['contract']));
  });

  it('show no part of a key that is cut off at the end of a long response', async () => {
    const { apiKey } = service;
    const start = 'x'.repeat(290);
    const failures = await failuresOf(openApi(() => new Response(`${start} ${apiKey}`, { status: 500 })));
    expect(failures.map(({ seen }) => seen)).toContain(`500 ${start} <API_… (304 characters)`);
    expect(JSON.stringify(failures)).not.toContain(apiKey.slice(0, 5));
  });

  it('create few enough pets that a list shows them all, with names that begin with "conform"', async () => {
    await using own = await openService({ openStore: openTemporarySqlite });
    const fetch: Fetch = async (url, init) => own.app.fetch(new Request(url, init));
    const open = () => createApi({ url: 'http://localhost', apiKey: own.apiKey, fetch });
    const [contract, strict] = [open(), open()];
    await runChecks(contract);
    expect(contract.createdCount).toBeLessThanOrEqual(48);
    const text = await (await own.call('/v1/pets?limit=100')).text();
    const names = (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith('conform '))).toEqual([]);
    await runChecks(strict, { profile: 'strict' });
    expect(strict.createdCount).toBeLessThan(100);
  });
});

describe('the address of a service', () => {
  it.each([
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['https://pets.example/shop/v2', 'https://pets.example/shop/v2'],
  ])('%s is the base itself if the caller says so', (base, expected) => {
    expect(baseAddressOf(base, true)).toBe(expected);
  });

  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
    ['https://pets.example/shop', 'https://pets.example/shop/v1'],
    ['https://pets.example/shop/v1?x=1#y', 'https://pets.example/shop/v1'],
  ])('%s has the base %s', (url, base) => {
    expect(baseAddressOf(url)).toBe(base);
  });
});

it.each([
  ['x', 'Bearer x', 'Bearer x'],
  ['till', 'BearerTILL, Bearer tillx', 'Bearer<API_KEY in the other case>, Bearer <API_KEY>x'],
  ['till', `Basic ${btoa('till:')}`, 'Basic <API_KEY in Base64>'],
  ['key&more', '?key=key%26more', '?key=<API_KEY>'],
  ['key.more', 'key.mor key_more', '<API_KEY without its last character> key_more'],
])('with the key %s, "%s" is shown as "%s"', (apiKey, text, shown) => {
  expect(redact(text, apiKey)).toBe(shown);
});

describe('a failed check', () => {
  it('does not fail the others: one wrong operation is seen by its own checks alone', async () => {
    const api = openApi(async (request) => {
      const isOne = request.method === 'GET' && /\/pets\/\d+$/.test(request.url);
      const response = await pass(request);
      if (!isOne || response.status !== 200) return response;
      return new Response(response.body, { headers: { 'Content-Type': 'text/plain' } });
    });
    expect((await failuresOf(api)).map(({ name }) => name)).toEqual(['get/content-type']);
  });

  it('shows neither the API key nor a part of it', async () => {
    const api = openApi((request) => {
      const headers = new Headers(request.headers);
      headers.set('Authorization', `Bearer ${service.apiKey}`);
      return pass(new Request(request, { headers }));
    });
    const failures = await failuresOf(api);
    expect(failures.length).toBeGreaterThan(15);
    const shown = JSON.stringify(failures).toLowerCase();
    expect(shown).toContain('<api_key>');
    expect(shown).toContain('<api_key in the other case>');
    for (const part of [service.apiKey.slice(0, -1), btoa(`${service.apiKey}:`)]) {
      expect(shown).not.toContain(part.toLowerCase());
    }
  });

  it('may go without a response; after three of these, the rest are skipped', async () => {
    let sent = 0;
    const api = openApi(() => {
      sent += 1;
      throw new Error('connection refused');
    });
    const results = await runChecks(api);
    expect(results.filter(({ gotNoResponse }) => gotNoResponse)).toHaveLength(results.length);
    expect(results[0]?.failure).toMatchObject({
      expected: 'a response',
      seen: 'none: connection refused',
    });
    expect(results.at(-1)?.failure?.seen).toBe('no response to the last 3 checks');
    expect(sent).toBeLessThan(50);
  });
});

describe('a finding', () => {
  it('has the title of the operation that makes the mistake', async () => {
    const losesStatus = openApi(async (request) => {
      const response = await pass(request);
      const isFetch = request.method === 'GET' && /\/pets\/\d+$/.test(request.url);
      if (!isFetch || !response.ok) return response;
      return new Response((await response.text()).replace(/,"status":"\w+"/, ''), response);
    });
    const titles = findingsOf(await runChecks(losesStatus)).map(({ result }) => result.check.name);
    expect(titles).toEqual(['get/returns-pet']);
  });
});

describe('a strange service', () => {
  it.each([
    ['HTML', '<html>No.</html>'],
    ['null', 'null'],
    ['nested arrays', '['.repeat(100_000)],
    ['objects in an array', '[{"id":{}},null,7]'],
    ['a document without paths', '{"info":null,"paths":{"/v1/pets":null}}'],
  ])('fails checks and stops none: %s', async (_title, body) => {
    const api = openApi(() => new Response(body, { status: 200 }));
    const results = await runChecks(api, { profile: 'strict' });
    expect(results).toHaveLength(checksFor('strict').length);
    expect(results.filter(({ failure }) => failure).length).toBeGreaterThan(100);
  });
});

describe('the contract profile', () => {
  it.each([
    ['spaces', (text: string) => text.replaceAll(/(?<=[:,])(?=["\d{-])/g, ' ')],
    ['indentation', (text: string) => JSON.stringify(parseExactJson(text), null, 2)],
  ])('accepts JSON with %s', async (_title, format) => {
    await using foreign = await openService({ openStore: openTemporarySqlite });
    const fetch: Fetch = async (url, init) => {
      const response = await foreign.app.fetch(new Request(url, init));
      const text = await response.text();
      return new Response(text && format(text), response);
    };
    const api = createApi({ url: 'http://localhost', apiKey: foreign.apiKey, fetch });
    expect(await failuresOf(api)).toEqual([]);
  });

  it('accepts what the contract leaves open', async () => {
    const api = openApi(async (request) => {
      const url = new URL(request.url);
      const limit = url.searchParams.get('limit');
      // This implementation clamps the limit, and lists nothing for an unknown status.
      if (limit !== null) url.searchParams.set('limit', String(clamp(Number(limit))));
      const status = url.searchParams.get('status');
      if (status !== null && !['available', 'pending', 'sold'].includes(status)) {
        return request.headers.has('Authorization') ? Response.json([]) : pass(request);
      }
      const sent = request.method === 'POST' ? await (request.clone() as Request).text() : '';
      // It has no names with line ends or with spaces at an end, no ids below 1, and a default status.
      const error = { code: 'invalid', message: 'name must be one line.', status: 400 };
      if (sent.includes(String.raw`\n`) || sent.includes(' ",')) return Response.json(error, { status: 400 });
      if (/\/pets\/-\d+$/.test(url.pathname) && request.headers.has('Authorization'))
        return Response.json(error, { status: 400 });
      const body = sent.replace(/^\{("name":"[^"]*","categoryId":-?\d+)\}$/, '{$1,"status":"available"}');
      const response = await pass(new Request(url.href, { ...inherited(request), ...(sent && { body }) }));
      // It has none of our headers, other codes, and more fields than it needs.
      const headers = { 'Content-Type': 'application/json; charset=utf-8' };
      const text = await response.text();
      const more = text.startsWith('{') ? text.replace('{', '{"more":[1],') : text;
      return new Response(more.replace(/"code":"\w+"/, '"code":"E1"'), { status: response.status, headers });
    });
    expect(await failuresOf(api)).toEqual([]);
  });
});

function inherited({ method, headers }: Request): RequestInit {
  return { method, headers };
}

function clamp(limit: number): number {
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, 100) : 20;
}
