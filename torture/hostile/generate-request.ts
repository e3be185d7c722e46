import type { Random } from '../../test/support/random.ts';
import { between } from '../../test/support/random.ts';

/** A request out of the grammar of the API, right or wrong in any of its parts, and what must come of it. */
export interface GeneratedRequest {
  path: string;
  init: { method: string; headers: Record<string, string>; body?: string };
  /** The statuses that are right. */
  expected: readonly number[];
  /** The pet of a sound create, as its fields are read back. */
  pet?: GeneratedPet;
  idempotencyKey?: string;
}

export interface GeneratedPet {
  name: string;
  categoryId: string;
  status: string | undefined;
}

interface Part {
  text: string;
  isSound: boolean;
}

export interface GeneratorParts {
  random: Random;
  key: string;
  /** Keeps the idempotency keys of those who send at the same time apart. */
  lane: string;
  /** An id that exists, once there is one. */
  knownId: () => string | undefined;
  /** A query that the service has offered as the next page. */
  knownQuery: () => string | undefined;
}

export function generateRequest(parts: GeneratorParts): GeneratedRequest {
  const { random } = parts;
  const kind = random.pick([
    list,
    list,
    list,
    create,
    create,
    create,
    get,
    get,
    elsewhere,
    wrongMethod,
    open,
  ] as const);
  const request = kind(parts);
  const authorization =
    random.next() < 0.95
      ? `Bearer ${parts.key}`
      : random.pick([
          '',
          'Bearer ',
          'Basic eDp5',
          `Bearer ${parts.key}x`,
          `Token ${parts.key}`,
          `Bearer ${parts.key} `.repeat(2),
        ]);
  const isKnown = authorization === `Bearer ${parts.key}`;
  if (authorization !== '') request.init.headers['Authorization'] = authorization;
  if (random.next() < 0.2)
    request.init.headers['X-Request-Id'] = random.pick(['sane-id', 'x'.repeat(200), '"', 'ö', '../../etc']);
  if (random.next() < 0.2)
    request.init.headers['Accept'] = random.pick(['*/*', 'text/html', 'application/xml;q=0.1', 'nonsense']);
  if (isKnown || kind === open) return request;
  delete request.pet;
  return { ...request, expected: [401] };
}

function list({ random, knownQuery }: GeneratorParts): GeneratedRequest {
  const offered = random.next() < 0.2 ? knownQuery() : undefined;
  if (offered !== undefined)
    return {
      path: `/v1/pets${offered}`,
      init: { method: pickRead(random), headers: etag(random) },
      expected: [200, 304],
    };
  const limit = random.next() < 0.6 ? limitText(random) : undefined;
  const status = random.next() < 0.5 ? statusText(random) : undefined;
  const cursor =
    random.next() < 0.1
      ? random.pick(['', 'abc', 'MS4uMS4x', '%00', '%F0%9F%90%88', 'x'.repeat(5000)])
      : undefined;
  const query = [
    ...(limit ? [`limit=${encodeURIComponent(limit.text)}`] : []),
    ...(status ? [`status=${encodeURIComponent(status.text)}`] : []),
    ...(cursor === undefined ? [] : [`cursor=${cursor}`]),
    ...(random.next() < 0.1 ? ['unknown=1', 'unknown=%zz'] : []),
  ];
  const isSound = (limit?.isSound ?? true) && (status?.isSound ?? true) && cursor === undefined;
  return {
    path: `/v1/pets${query.length > 0 ? `?${query.join('&')}` : ''}`,
    init: { method: pickRead(random), headers: etag(random) },
    expected: isSound ? [200, 304] : [400],
  };
}

function create({ random, lane }: GeneratorParts): GeneratedRequest {
  const name = nameJson(random);
  const category = categoryJson(random);
  const status = random.next() < 0.6 ? statusJson(random) : undefined;
  const fields = [
    ...(name ? [`"name":${name.text}`] : []),
    ...(category ? [`"categoryId":${category.text}`] : []),
    ...(status ? [`"status":${status.text}`] : []),
    ...(random.next() < 0.2
      ? [random.pick(['"id":7', '"unknown":[1,{"a":null}]', '"__proto__":{"name":1}'])]
      : []),
  ];
  const mediaType =
    random.next() < 0.95
      ? 'application/json'
      : random.pick([
          'text/plain',
          'application/json; charset=latin1',
          'application/jsonp',
          'application/x-www-form-urlencoded',
        ]);
  const isJson = random.next() < 0.95;
  const isSound = name?.isSound === true && category?.isSound === true && (status?.isSound ?? true);
  const idempotencyKey = random.next() < 0.2 ? `${lane}-${between(random, 1, 50)}` : undefined;
  const body = `{${fields.join(',')}${isJson ? '}' : random.pick(['', ',}', '}}'])}`;
  const headers: Record<string, string> = {
    'Content-Type': mediaType,
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const init = { method: 'POST', headers, body };
  const path = random.next() < 0.05 ? '/v1/pets?limit=nonsense' : '/v1/pets';
  if (mediaType !== 'application/json') return { path, init, expected: [415] };
  if (!isJson || !isSound) return { path, init, expected: [400] };
  const { name: storedName } = JSON.parse(`{"name":${name.text}}`) as { name: string };
  const pet: GeneratedPet = {
    name: storedName,
    categoryId: String(BigInt(Number(category.text) === 300 ? '300' : category.text)),
    status: status && (JSON.parse(status.text) as string),
  };
  return { path, init, expected: [201], pet, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

function get({ random, knownId }: GeneratorParts): GeneratedRequest {
  const known = random.next() < 0.5 ? knownId() : undefined;
  const id =
    known ??
    random.pick([
      '0',
      '-1',
      '9223372036854775807',
      '9223372036854775808',
      '01',
      '1.0',
      'abc',
      '%00',
      '%2e',
      'null',
      '1%202',
      '٣',
      'x'.repeat(3000),
    ]);
  return {
    path: `/v1/pets/${id}`,
    init: { method: pickRead(random), headers: etag(random) },
    expected: known === undefined ? [404] : [200, 304],
  };
}

function elsewhere({ random }: GeneratorParts): GeneratedRequest {
  const path = random.pick([
    '/v1',
    '/v1/',
    '/v1/pets/',
    '/v1/pets/1/2',
    '/v2/pets',
    '/v1/store',
    '/store/orders',
    '/v1/Pets',
    '/.env',
    '/admin',
    '/v1/pets;a=b',
    '/livez/',
  ]);
  return {
    path,
    init: { method: random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']), headers: {} },
    expected: [404],
  };
}

function wrongMethod({ random, knownId }: GeneratorParts): GeneratedRequest {
  const path = random.pick(['/v1/pets', `/v1/pets/${knownId() ?? '1'}`]);
  const methods = path === '/v1/pets' ? ['PUT', 'DELETE', 'PATCH'] : ['POST', 'PUT'];
  return { path, init: { method: random.pick(methods), headers: {} }, expected: [405] };
}

function open({ random }: GeneratorParts): GeneratedRequest {
  return {
    path: random.pick(['/livez', '/readyz', '/openapi.json', '/']),
    init: { method: pickRead(random), headers: etag(random) },
    expected: [200, 304],
  };
}

function pickRead(random: Random): string {
  return random.pick(['GET', 'GET', 'GET', 'HEAD']);
}

function etag(random: Random): Record<string, string> {
  return random.next() < 0.15 ? { 'If-None-Match': random.pick(['*', '"x"', 'W/"x"', 'x', '"a", "b"']) } : {};
}

function limitText(random: Random): Part {
  if (random.next() < 0.6) return { text: String(between(random, 1, 100)), isSound: true };
  return {
    text: random.pick([
      '0',
      '101',
      '-1',
      '1.5',
      '',
      'abc',
      '1e1',
      ' 1',
      '+1',
      '01',
      '９',
      '99999999999999999999',
    ]),
    isSound: false,
  };
}

function statusText(random: Random): Part {
  if (random.next() < 0.7) return { text: random.pick(['available', 'pending', 'sold']), isSound: true };
  return {
    text: random.pick(['', 'Available', 'sold ', 'null', 'available,sold', '\u0000']),
    isSound: false,
  };
}

function statusJson(random: Random): Part {
  if (random.next() < 0.8)
    return { text: `"${random.pick(['available', 'pending', 'sold'])}"`, isSound: true };
  return { text: random.pick(['null', '""', '"SOLD"', '1', '["sold"]', '{}']), isSound: false };
}

function categoryJson(random: Random): Part | undefined {
  const chance = random.next();
  if (chance < 0.7)
    return {
      text: String(BigInt.asIntN(64, BigInt(Math.floor(random.next() * 2 ** 32)) ** 2n)),
      isSound: true,
    };
  if (chance < 0.8)
    return { text: random.pick(['0', '9223372036854775807', '-9223372036854775808', '3e2']), isSound: true };
  if (chance < 0.95)
    return {
      text: random.pick(['9223372036854775808', '1.5', '"1"', 'null', 'true', '[]', '{}', '1e400']),
      isSound: false,
    };
  return undefined;
}

function nameJson(random: Random): Part | undefined {
  const chance = random.next();
  if (chance < 0.8) return { text: JSON.stringify(soundName(random)), isSound: true };
  if (chance < 0.95)
    return { text: random.pick(['null', '1', '[]', '{}', '"\\u0000"', '"\\ud800"', 'true']), isSound: false };
  return undefined;
}

function soundName(random: Random): string {
  const points = Array.from({ length: between(random, 0, 12) }, () => {
    const point = between(random, 1, random.pick([0x7f, 0xff, 0xffff, 0x10ffff]));
    return point >= 0xd800 && point <= 0xdfff ? 0x20 : point;
  });
  return String.fromCodePoint(...points);
}
