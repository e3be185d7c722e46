import { crc32 } from 'node:zlib';
import { between, randomFrom, type Random } from '../support/random.ts';

/** A request of v1 as it is sent. `{etag}` and `{next}` stand for the last ETag and the last link to a next page. */
export interface CorpusRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body?: string;
}

export const corpusKey = 'key-of-the-corpus';
export const corpusOrigin = 'https://shop.example';
const corpusSize = 2400;
const seed = 20_261_116;

/** The same requests in every run: sound ones, odd ones and wrong ones, in the mixture that finds differences. */
export function createCorpus(): CorpusRequest[] {
  const random = randomFrom(seed);
  return Array.from({ length: corpusSize }, (_, index) => {
    // Begin with pets, so that there is something to list.
    const make = index < 60 ? createPet : random.pick(kinds);
    const request = make(random);
    const headers = [...request.headers, ...credentialOf(random), ...oddHeaders(random)];
    return { ...request, headers };
  });
}

type Make = (random: Random) => CorpusRequest;

const listPets: Make = (random) => ({
  method: random.pick(['GET', 'GET', 'GET', 'HEAD']),
  target: `/v1/pets${queryOf(random)}`,
  headers: conditionOf(random),
});

const nextPage: Make = () => ({ method: 'GET', target: '/v1/pets{next}', headers: [] });

const createPet: Make = (random) => {
  const body = random.next() < 0.6 ? soundBody(random) : random.pick(oddBodies)(random);
  const headers: [string, string][] = [['Content-Type', contentTypeOf(random)]];
  if (random.next() < 0.3) headers.push(['Idempotency-Key', random.pick(idempotencyKeys)]);
  if (random.next() < 0.05) headers.push(['If-Match', random.pick(['*', '"x"', '{etag}'])]);
  return { method: 'POST', target: '/v1/pets', headers, body };
};

const getPet: Make = (random) => ({
  method: random.pick(['GET', 'GET', 'HEAD']),
  target: `/v1/pets/${random.pick(petIds)(random)}`,
  headers: conditionOf(random),
});

const otherMethod: Make = (random) => {
  const hasBody = random.next() < 0.5;
  return {
    method: random.pick(['PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS', 'GET']),
    target: random.pick(paths)(random),
    headers: hasBody ? [['Content-Type', 'application/json']] : [],
    ...(hasBody && { body: random.pick(['{"status":"sold"}', '{}', '{', soundBody(random)]) }),
  };
};

const preflight: Make = (random) => ({
  method: 'OPTIONS',
  target: random.pick(paths)(random),
  headers: [
    ['Origin', random.pick([corpusOrigin, corpusOrigin, 'https://evil.example'])],
    ['Access-Control-Request-Method', random.pick(['GET', 'POST', 'PATCH', 'DELETE'])],
    ['Access-Control-Request-Headers', random.pick(['authorization', 'authorization,content-type', ''])],
  ],
});

const unknownPath: Make = (random) => ({
  method: random.pick(['GET', 'HEAD', 'POST', 'DELETE']),
  target: random.pick(unknownPaths),
  headers: [],
});

const health: Make = (random) => ({
  method: random.pick(['GET', 'HEAD', 'POST', 'OPTIONS']),
  target: random.pick(['/livez', '/readyz', '/livez?x=1']),
  headers: conditionOf(random),
});

const kinds = [
  ...[listPets, listPets, listPets, nextPage, createPet, createPet, getPet, getPet],
  ...[otherMethod, preflight, unknownPath, health],
];

const smallId = (random: Random): string => String(between(random, 1, 80));
const petIds = [
  smallId,
  smallId,
  smallId,
  () => '0',
  () => '-1',
  () => '9223372036854775807',
  () => '9223372036854775808',
  (random: Random) =>
    random.pick(['01', '1.0', '1e1', 'abc', '%31', '%', '1%2F2', '+1', '1;x', '%00', 'é', '*']),
];
const paths = [
  () => '/v1/pets',
  (random: Random) => `/v1/pets/${random.pick(petIds)(random)}`,
  () => '/v1/store/orders',
  (random: Random) => random.pick(unknownPaths),
];
const unknownPaths = [
  ...[
    '/v1',
    '/v1/',
    '/v1/pets/',
    '/v1/pets/1/',
    '/v1/pets/1/x',
    '/v1//pets',
    '/V1/pets',
    '/v2/pets',
    '/pets',
  ],
  ...['/v1/store', '/v1/store/orders', '/v1/store/orders?limit=1', '/v1/store/orders/1', '/v1/orders'],
  ...['/v1/pe%74s', '/v1/../v1/pets', '/v1/pets%3Flimit=1', '/v1/pets#x', '/openapi.experimental'],
  ...['/openapi.experimental.yaml/', '/favicon.ico', '/.env', '/constructor', '/__proto__'],
];

/** Numbers, names and statuses, right and wrong. */
const names = ['Rex', 'Mia', '', ' ', 'Ægir 🐈', 'a"b\\c', '</script>', '\u2028', 'x'.repeat(255), '\u0001'];
const categoryIds = [
  '1',
  '-7',
  '0',
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '3.0',
];
const statuses = ['"available"', '"pending"', '"sold"'];

function soundBody(random: Random): string {
  const fields = [
    `"name":${JSON.stringify(random.pick(names))}`,
    `"categoryId":${random.pick(categoryIds)}`,
    ...(random.next() < 0.7 ? [`"status":${random.pick(statuses)}`] : []),
    ...(random.next() < 0.2 ? [random.pick(['"id":7', '"x":[[{}]]', '"expected":{"name":"Rex"}'])] : []),
  ];
  return `{${fields.join(random.pick([',', ' , ', ',\n']))}}`;
}

const oddBodies: ((random: Random) => string)[] = [
  (random) => soundBody(random).slice(0, between(random, 0, 20)),
  (random) => `${soundBody(random)}${random.pick(['x', '{}', ',', '\u0000'])}`,
  (random) => random.pick(['', ' ', 'null', '[]', '7', '"x"', 'true', '{}', '\ufeff{}', '{"a":}', "{'a':1}"]),
  (random) => {
    const wrong = ['null', '1.5', '"1"', 'true', '[]', '{}', '"\\u0000"', '"\\ud800"', '9223372036854775808'];
    const field = random.pick(['name', 'categoryId', 'status']);
    return `{"name":"Rex","categoryId":1,"${field}":${random.pick(wrong)}}`;
  },
  (random) =>
    JSON.stringify(random.pick([{ name: 'Rex' }, { categoryId: 1 }, { status: 'sold' }, { nam: 'Rex' }])),
  (random) => `{"name":"Rex","categoryId":1,"x":${'['.repeat(500)}${']'.repeat(random.pick([500, 499]))}}`,
  (random) => `"${'x'.repeat(16 * 1024 - random.pick([2, 1]))}"`,
];

const idempotencyKeys = [
  ...Array.from({ length: 12 }, (_, index) => `key-${index}`),
  ...['"quoted"', '', 'two words', 'x'.repeat(255), 'x'.repeat(256), 'é', 'a, b'],
];

function contentTypeOf(random: Random): string {
  if (random.next() < 0.9) return 'application/json';
  return random.pick([
    ...[
      '',
      'text/plain',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset=latin1',
    ],
    ...['application/jsonp', 'application/merge-patch+json', 'multipart/form-data; boundary=x'],
  ]);
}

function queryOf(random: Random): string {
  const limits = ['1', '2', '5', '20', '100', '0', '101', '-1', '1.5', '', 'abc', '05', '%31', '5,5'];
  const filters = ['available', 'pending', 'sold', 'sold', 'Sold', '', 'lost', 'null', 's%6Fld'];
  const parts = [
    ...(random.next() < 0.7 ? [`limit=${random.pick(limits)}`] : []),
    ...(random.next() < 0.5 ? [`status=${random.pick(filters)}`] : []),
    ...(random.next() < 0.3 ? [`cursor=${cursorOf(random)}`] : []),
    ...(random.next() < 0.2
      ? [random.pick(['name=Rex', 'x', '=', 'limit=5', 'status=sold', '%', 'api_key=1'])]
      : []),
  ];
  if (random.next() < 0.2) parts.reverse();
  return parts.length > 0 ? `?${parts.join('&')}` : random.pick(['', '?', '?&']);
}

function cursorOf(random: Random): string {
  const version = random.pick(['1', '1', '1', '2', 'o1']);
  const status = random.pick(['', '', 'available', 'pending', 'sold']);
  const place = `${version}.${status}.${random.pick(['1', '5', '40', '0', '-5', '99999', '01'])}`;
  const checksum = random.next() < 0.9 ? crc32(place).toString(36) : 'wrong';
  return random.pick([btoa(`${place}.${checksum}`).replaceAll('=', ''), '', 'none', '%', btoa(place)]);
}

function conditionOf(random: Random): [string, string][] {
  const tags = ['{etag}', '*', '"x"', 'W/{etag}', '"x", {etag}', '', 'x'];
  return [
    ...(random.next() < 0.2 ? [['If-None-Match', random.pick(tags)] satisfies [string, string]] : []),
    ...(random.next() < 0.1 ? [['If-Match', random.pick(tags)] satisfies [string, string]] : []),
  ];
}

function credentialOf(random: Random): [string, string][] {
  if (random.next() < 0.92) return [['Authorization', `Bearer ${corpusKey}`]];
  const authorization = (value: string): [string, string] => ['Authorization', value];
  return random.pick([
    [],
    [authorization('')],
    [authorization('Bearer')],
    [authorization('Bearer wrong')],
    [authorization(`pets_${'0'.repeat(36)}`)],
    [authorization(`Bearer pets_${'0'.repeat(36)}`)],
    [authorization(`bearer   ${corpusKey}`)],
    [authorization(`Basic ${btoa('a:b')}`)],
    [authorization(corpusKey)],
    [authorization(`Bearer ${corpusKey}`), authorization(`Bearer ${corpusKey}`)],
  ]);
}

function oddHeaders(random: Random): [string, string][] {
  if (random.next() < 0.7) return [];
  return [
    random.pick<[string, string]>([
      ['X-Request-Id', 'checkout-7f3a'],
      ['X-Request-Id', 'not sane'],
      ['X-Request-Id', ''],
      ['X-Request-Id', `with-${corpusKey}`],
      ['Origin', corpusOrigin],
      ['Origin', 'https://evil.example'],
      ['Accept', 'text/html'],
      ['Accept-Encoding', 'gzip, br'],
      ['Range', 'bytes=0-1'],
      ['Prefer', 'return=minimal'],
      ['X-Http-Method-Override', 'DELETE'],
      ['X-Petstore-Stability', 'experimental'],
      ['If-Modified-Since', 'Thu, 01 Jan 2026 00:00:00 GMT'],
      ['Cookie', 'a=b'],
    ]),
  ];
}
