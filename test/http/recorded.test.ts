import { expect, it } from 'bun:test';
import { type AppOptions, createApp } from '../../src/http/app.ts';
import type { Cache } from '../../src/http/cache.ts';
import type { Store } from '../../src/stores/store.ts';
import { nextQuery } from '../support/http/calls.ts';
import { silentLog } from '../support/http/service.ts';
import { onEveryStore } from '../support/stores.ts';

/** The responses to one list of requests, which stay the same to the byte in every release and on every store. */
const recording = Bun.file(new URL('../fixtures/responses.json', import.meta.url));

const noCache: Cache = { firstPages: (list) => list, callers: (find) => find };

interface RecordedRequest {
  method: string;
  /** `next` is the next page of the response before. */
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

interface RecordedResponse {
  request: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const [smallest, largest] = ['-9223372036854775808', '9223372036854775807'];
const control = ['\u0001\u001f\u007f', '\b\f\n\r\t', '\u2028\u2029', '\ufeff', '\uffff'];
const names = [
  ...['Rex', '', ' ', 'null', "O'Neill", '"', '\\', '\\u0041', '\\"', '%s', '{a,b}', '},{"id":1'],
  ...[',{"id":7,"name":"', ...control, 'e\u0301', 'Łucja Straße', '🐕‍🦺', '\u{10ffff}'],
  ...['x'.repeat(255), '🐕'.repeat(255)],
];
const categoryIds = ['1', '0', '-1', '9007199254740993', smallest, largest];
const statuses = [undefined, 'available', 'pending', 'sold'];
const rex = '{"name":"Rex","categoryId":1,"status":"available"}';

const get = (path: string, headers: Record<string, string> = {}): RecordedRequest => ({
  ...{ method: 'GET', path, headers },
});
const send = (method: string, path: string, body: string, headers: Record<string, string> = {}) => ({
  ...{ method, path, body, headers },
});
const remove = (path: string): RecordedRequest => ({ method: 'DELETE', path });
/** The pages of a list, one after another. */
const walk = (path: string, pages: number): RecordedRequest[] => [
  get(path),
  ...Array.from({ length: pages - 1 }, () => get('next')),
];

const lists = [
  ...statuses.map((status) => `pets?limit=7${status === undefined ? '' : `&status=${status}`}`),
  ...['?limit=7', '?limit=7&sort=oldest', '?limit=5&status=sold', '?q=lucja', '?q=x&limit=1', '?q=%25']
    .concat('?id=3', '?id=3&q=nothing', `?categoryId=${smallest}&limit=2&sort=oldest`)
    .map((query) => `pets/search${query}`),
  ...['?limit=3', '?limit=3&sort=newest', '?status=sold&limit=2', '?returned=true']
    .concat('?returned=false&limit=4', '?petId=4', '?since=2026-01-01T00:00:20Z&limit=2')
    .concat('?until=2026-01-01T00:00:40Z&sort=newest&limit=2')
    .map((query) => `store/orders${query}`),
  ...['categories?limit=2', 'categories'],
].map((path) => `/v1/${path}`);
const events = ['limit=100', 'limit=5', 'type=pet.deleted', 'petId=4', 'petId=7', 'type=category.deleted'];

const requests: RecordedRequest[] = [
  ...lists.map((path) => get(path)),
  ...names.map((name, index) => {
    const status = statuses[index % 4];
    const fields = `"name":${JSON.stringify(name)},"categoryId":${categoryIds[index % categoryIds.length]}`;
    return send('POST', '/v1/pets', `{${fields}${status ? `,"status":"${status}"` : ''}}`);
  }),
  send('POST', '/v1/pets', rex, { 'Idempotency-Key': 'first' }),
  ...names.map((_name, index) => get(`/v1/pets/${index + 1}`)),
  ...['0', '999', '-1', largest, 'x'].map((id) => get(`/v1/pets/${id}`)),
  ...[smallest, '-1', '0', '7', largest].map((id, index) =>
    send('PUT', `/v1/categories/${id}`, JSON.stringify({ name: names[index + 4] })),
  ),
  send('PUT', '/v1/categories/7', '{"name":"Kittens"}'),
  send('PUT', '/v1/categories/7', '{"name":"Kittens"}'),
  send('PUT', '/v1/categories/8', '{"name":"Fish"}', { 'If-Match': '*' }),
  remove('/v1/categories/-1'),
  remove('/v1/categories/-1'),
  // Sales, returns and removals.
  ...['available', 'pending', 'sold', null, 'sold'].map((status) =>
    send('PATCH', '/v1/pets/4', JSON.stringify({ status })),
  ),
  send('PATCH', '/v1/pets/5', `{"name":"Zoë \\"1\\" 🐕","categoryId":${smallest},"status":"pending"}`),
  send('PATCH', '/v1/pets/5', '{"name":"Max"}'),
  send('PATCH', '/v1/pets/5', '{"name":"Max"}'),
  send('PATCH', '/v1/pets/6', '{"name":"Tom","expected":{"name":"other"}}'),
  send('PATCH', '/v1/pets/6', '{"name":"Tom"}', { 'If-Match': '"other"' }),
  send('PATCH', '/v1/pets/6', '{}'),
  send('PATCH', '/v1/pets/999', '{"name":"Tom"}'),
  ...['4', '4', '8'].map((id) => remove(`/v1/pets/${id}`)),
  get('/v1/pets/4'),
  get('/v1/pets/5'),
  ...lists.flatMap((path) => walk(path, 4)),
  ...events.flatMap((query) => walk(`/v1/events?${query}`, 3)),
  get('/v1/events?after=now'),
  { method: 'HEAD', path: '/v1/pets?limit=3' },
  get('/v1/pets?limit=3', { 'If-None-Match': '*' }),
  get('/v1/pets/5', { 'If-Match': '"other"' }),
  get('/v1/key'),
  // What is refused.
  ...['{}', '[]', '{"name":1}', '{"name":"Rex","categoryId":1.5}', '{']
    .concat('{"name":"Rex","categoryId":9223372036854775808}')
    .map((body) => send('POST', '/v1/pets', body)),
  ...['pets?limit=0', 'pets?cursor=x', 'store/orders?returned=maybe'].map((path) => get(`/v1/${path}`)),
  get('/v1/pets', { Authorization: 'Bearer wrong' }),
  send('POST', '/v1/pets', rex, { 'Content-Type': 'text/plain' }),
  remove('/v1/pets'),
  { method: 'OPTIONS', path: '/v1/pets/1' },
  get('/v1/nowhere'),
  // Last, because PostgreSQL draws an id for a replay, too.
  send('POST', '/v1/pets', rex, { 'Idempotency-Key': 'first' }),
  send('POST', '/v1/pets', '{"name":"Tom","categoryId":1}', { 'Idempotency-Key': 'first' }),
];

/** A second passes with each request. */
async function respond(
  open: (options: { now: () => number }) => Promise<Store>,
  options: Partial<AppOptions>,
) {
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = () => time;
  const app = createApp({ ...(await open({ now })), now, log: silentLog, apiKeys: ['secret'], ...options });
  const responses: RecordedResponse[] = [];
  let next = '';
  let list = '';
  for (const { method, path, body, headers } of requests) {
    if (path !== 'next') list = path.replace(/\?.*/, '');
    const target = path === 'next' ? next : path;
    if (target === '') continue;
    time += 1000;
    const common = { Authorization: 'Bearer secret', 'Content-Type': 'application/json' };
    const response = await app.fetch(
      new Request(`http://petstore${target}`, {
        method,
        headers: { ...common, 'X-Request-Id': 'recorded', ...headers },
        ...(body !== undefined && { body }),
      }),
    );
    const query = nextQuery(response);
    next = query === undefined ? '' : `${list}${query}`;
    response.headers.delete('Date');
    const stable = [...response.headers].map(([name, value]) => [name, withoutEpoch(list, value)]);
    responses.push({
      request: `${method} ${path}`,
      status: response.status,
      headers: Object.fromEntries(stable) as Record<string, string>,
      body: await response.text(),
    });
  }
  return responses;
}

/** A log of events has a random name, which its cursors and tags contain. */
function withoutEpoch(list: string, value: string): string {
  return list === '/v1/events' ? value.replace(/after=[\w%]+|(?<=\.)\w{20,}(?="$)/, '…') : value;
}

onEveryStore('what the API responds', ({ open }) => {
  it.each([
    ['', {}],
    [', without the cache', { cache: noCache }],
  ])('stays the same, byte for byte%s', async (_how, options) => {
    const responses = await respond(open, options);
    if (process.env['RECORD'] === '1')
      await Bun.write(recording, `${JSON.stringify(responses, undefined, 2)}\n`);
    const recorded = (await recording.json()) as RecordedResponse[];
    for (const [index, response] of responses.entries()) expect(response).toEqual(recorded[index]!);
    expect(responses).toHaveLength(recorded.length);
  });
});
