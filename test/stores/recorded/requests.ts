import type { createApp } from '../../../src/http/app.ts';
import type { Store } from '../../../src/stores/store.ts';

/** One list of requests, whose responses were recorded once: no byte, tag or header of them may change. */

export interface RecordedRequest {
  method: string;
  /** `next` is the next page of the response before. */
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface RecordedResponse {
  request: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const [smallest, largest] = ['-9223372036854775808', '9223372036854775807'];

const names = [
  ...[
    'Rex',
    '',
    ' ',
    'null',
    "O'Neill",
    '"',
    '\\',
    '\\u0041',
    '\\"',
    '%s',
    '{a,b}',
    '},{"id":1',
    ',{"id":7,"name":"',
  ],
  ...[
    '\u0001\u001f\u007f',
    '\b\f\n\r\t',
    '\u2028\u2029',
    '\ufeff',
    '\uffff',
    'e\u0301',
    'Łucja Straße',
    '🐕‍🦺',
    '\u{10ffff}',
  ],
  ...['x'.repeat(255), '🐕'.repeat(255)],
];
const categoryIds = ['1', '0', '-1', '9007199254740993', smallest, largest];
const statuses = [undefined, 'available', 'pending', 'sold'];

const get = (path: string, headers?: Record<string, string>): RecordedRequest => ({
  ...{ method: 'GET', path },
  ...(headers && { headers }),
});
const send = (
  method: string,
  path: string,
  body: string,
  headers?: Record<string, string>,
): RecordedRequest => ({ method, path, body, ...(headers && { headers }) });
/** The pages of a list, one after another. */
const walk = (path: string, pages: number): RecordedRequest[] => [
  get(path),
  ...Array.from({ length: pages - 1 }, () => get('next')),
];

const lists = [
  ...statuses.map((status) => `/v1/pets?limit=7${status === undefined ? '' : `&status=${status}`}`),
  ...[
    '/v1/pets/search?limit=7',
    '/v1/pets/search?limit=7&sort=oldest',
    '/v1/pets/search?limit=5&status=sold',
  ],
  ...[
    '/v1/pets/search?q=lucja',
    '/v1/pets/search?q=x&limit=1',
    '/v1/pets/search?q=%25',
    '/v1/pets/search?id=3',
  ],
  ...['/v1/pets/search?id=3&q=nothing', `/v1/pets/search?categoryId=${smallest}&limit=2&sort=oldest`],
  ...[
    '/v1/store/orders?limit=3',
    '/v1/store/orders?limit=3&sort=newest',
    '/v1/store/orders?status=sold&limit=2',
  ],
  ...[
    '/v1/store/orders?returned=true',
    '/v1/store/orders?returned=false&limit=4',
    '/v1/store/orders?petId=4',
  ],
  ...[
    '/v1/store/orders?since=2026-01-01T00:00:20Z&limit=2',
    '/v1/store/orders?until=2026-01-01T00:00:40Z&sort=newest&limit=2',
  ],
  ...['/v1/categories?limit=2', '/v1/categories'],
];
const events = [
  '/v1/events?limit=100',
  '/v1/events?limit=5',
  '/v1/events?type=pet.deleted',
  '/v1/events?petId=4',
];

export const requests: readonly RecordedRequest[] = [
  ...lists.map((path) => get(path)),
  ...names.map((name, index) => {
    const status = statuses[index % 4];
    const fields = `"name":${JSON.stringify(name)},"categoryId":${categoryIds[index % categoryIds.length]}`;
    return send('POST', '/v1/pets', `{${fields}${status ? `,"status":"${status}"` : ''}}`);
  }),
  send('POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"available"}', {
    'Idempotency-Key': 'first',
  }),
  ...names.map((_name, index) => get(`/v1/pets/${index + 1}`)),
  ...['0', '999', '-1', largest, 'x'].map((id) => get(`/v1/pets/${id}`)),
  ...[smallest, '-1', '0', '7', largest].map((id, index) =>
    send('PUT', `/v1/categories/${id}`, JSON.stringify({ name: names[index + 4] || 'Dogs' })),
  ),
  send('PUT', '/v1/categories/7', '{"name":"Kittens"}'),
  send('PUT', '/v1/categories/7', '{"name":"Kittens"}'),
  send('PUT', '/v1/categories/8', '{"name":"Fish"}', { 'If-Match': '*' }),
  { method: 'DELETE', path: '/v1/categories/-1' },
  { method: 'DELETE', path: '/v1/categories/-1' },
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
  { method: 'DELETE', path: '/v1/pets/4' },
  { method: 'DELETE', path: '/v1/pets/4' },
  { method: 'DELETE', path: '/v1/pets/8' },
  get('/v1/pets/4'),
  get('/v1/pets/5'),
  ...lists.flatMap((path) => walk(path, 4)),
  ...events.flatMap((path) => walk(path, 3)),
  get('/v1/events?after=now'),
  { method: 'HEAD', path: '/v1/pets?limit=3' },
  get('/v1/pets?limit=3', { 'If-None-Match': '*' }),
  get('/v1/pets/5', { 'If-Match': '"other"' }),
  get('/v1/key'),
  // What is refused.
  ...[
    '{}',
    '[]',
    '{"name":1}',
    '{"name":"Rex","categoryId":1.5}',
    '{"name":"Rex","categoryId":9223372036854775808}',
    '{',
  ].map((body) => send('POST', '/v1/pets', body)),
  get('/v1/pets?limit=0'),
  get('/v1/pets?cursor=x'),
  get('/v1/store/orders?returned=maybe'),
  // Last, because PostgreSQL draws an id for a replay, too.
  send('POST', '/v1/pets', '{"name":"Rex","categoryId":1,"status":"available"}', {
    'Idempotency-Key': 'first',
  }),
  send('POST', '/v1/pets', '{"name":"Tom","categoryId":1}', { 'Idempotency-Key': 'first' }),
];

const start = Date.parse('2026-01-01T00:00:00.000Z');
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Sends all requests to the API on this store; a second passes with each. */
export async function record(
  create: typeof createApp,
  open: (now: () => number) => Promise<Store>,
): Promise<RecordedResponse[]> {
  let time = start;
  const now = () => time;
  const store = await open(now);
  const app = create({ ...store, now, log, apiKeys: ['secret'] });
  const responses: RecordedResponse[] = [];
  let next = '';
  let list = '';
  for (const { method, path, body, headers = {} } of requests) {
    if (path !== 'next') list = path.replace(/\?.*/, '');
    const target = path === 'next' ? next : path;
    if (target === '') continue;
    time += 1000;
    const response = await app.fetch(
      new Request(`http://petstore${target}`, {
        method,
        headers: {
          ...{
            Authorization: 'Bearer secret',
            'Content-Type': 'application/json',
            'X-Request-Id': 'recorded',
          },
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
    );
    const [, query = ''] = /<(\?[^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
    next = query && `${list}${query}`;
    response.headers.delete('Date');
    responses.push({
      request: `${method} ${path}`,
      status: response.status,
      headers: Object.fromEntries(
        [...response.headers].map(([name, value]) => [name, withoutEpoch(list, value)]),
      ),
      body: await response.text(),
    });
  }
  await store.close();
  return responses;
}

/** A log of events has a random name, which its cursors and tags contain. */
function withoutEpoch(list: string, value: string): string {
  return list === '/v1/events' ? value.replace(/after=[\w%]+|(?<=\.)\w{20,}(?="$)/, '…') : value;
}
