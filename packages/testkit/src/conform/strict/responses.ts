import type { Api, ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectOutcome, readError } from '../errors.ts';
import { expectHeader, expectHeaderMatch, expectThat } from '../mismatch.ts';
import { creating, getPet, listPets, named, readPet, readPets, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

const errors: [outcome: string, what: string, request: ApiRequest][] = [
  ['400 invalid_parameter', 'an invalid limit', { path: '/pets?limit=0' }],
  ['400 invalid_cursor', 'an invalid cursor', { path: '/pets?cursor=x' }],
  ['400 invalid_json', 'a body that is not JSON', creating('{')],
  ['400 invalid_pet', 'a body without fields', creating('{}')],
  ['401 unauthorized', 'a missing key', { path: '/pets', authorization: null }],
  ['401 invalid_api_key', 'a wrong key', { path: '/pets', authorization: 'Bearer conform-wrong-key' }],
  ['404 not_found', 'an unknown pet', { path: '/pets/0' }],
  ['404 not_found', 'an unknown path', { path: '/unknown' }],
  ['404 not_found', 'an unknown path outside /v1', { path: '/favicon.ico', isOutsideBase: true }],
  ['405 method_not_allowed', 'another method', { path: '/livez', isOutsideBase: true, method: 'POST' }],
  [
    '412 precondition_failed',
    'an If-Match that differs',
    { path: '/pets', headers: { 'If-Match': '"another"' } },
  ],
  ['413 payload_too_large', 'a large body', creating(' '.repeat(65_537))],
  ['415 unsupported_media_type', 'another media type', creating('x', { 'Content-Type': 'text/plain' })],
];

/** The form of pets and errors beyond their required fields. */
export const responseChecks = checksOf('strict', 'responses', [
  [
    'location',
    'A 201 has the path of the new pet in Location.',
    async (api) => {
      const sent = { ...named(api, 'located'), status: 'sold' };
      const exchange = await expectOutcome(api, creating(renderPet(sent)), '201');
      const location = expectHeaderMatch(exchange, 'Location', /^\/v1\/pets\/-?\d+$/);
      expectHeader(exchange, 'Content-Type', 'application/json');
      expectThat(readPet(exchange, 201).id > 0n, exchange, 'an id greater than 0');
      const located = await expectOutcome(api, { path: location, isOutsideBase: true }, '200');
      expectThat(located.text === exchange.text, located, `the pet of the 201: ${exchange.text}`);
    },
  ],
  [
    'content-type',
    'A pet and a list are sent as exactly application/json.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      for (const path of ['/pets', '/pets?limit=1&status=sold', `/pets/${id}`]) {
        expectHeader(await expectOutcome(api, { path }, '200'), 'Content-Type', 'application/json');
      }
    },
  ],
  [
    'pet-fields',
    'A pet has no fields but id, name, categoryId and status; an absent status is left out.',
    async (api) => {
      const [withStatus, without] = [await sampleWith(api, 'sold'), await sampleWith(api)];
      for (const { sent, created } of [withStatus, without]) {
        const expected = ['id', 'name', 'categoryId', ...(sent.status === undefined ? [] : ['status'])];
        const exchange = await getPet(api, created.id);
        for (const { fieldNames } of [readPet(exchange), created]) {
          expectFields(fieldNames, expected, exchange);
        }
      }
      const list = await listPets(api, '?limit=100');
      for (const { fieldNames, status } of readPets(list)) {
        const expected = ['id', 'name', 'categoryId', ...(status === undefined ? [] : ['status'])];
        expectFields(fieldNames, expected, list);
      }
    },
  ],
  [
    'nosniff',
    'Every response has X-Content-Type-Options: nosniff.',
    async (api) => {
      for (const path of ['/v1/pets', '/v1/pets/0', '/v1/unknown', '/', '/docs', '/openapi.json', '/livez']) {
        expectHeader(await api.send({ path, isOutsideBase: true }), 'X-Content-Type-Options', 'nosniff');
      }
    },
  ],
  ...errors.map(([outcome, what, request]): Entry => [
    `error-${what.replace(/^an? /, '').toLowerCase().replace(/\W+/g, '-')}`,
    `The error of ${what} is ${outcome}: exactly code, message and status, as application/json.`,
    (api) => expectError(api, request, outcome),
  ]),
  [
    'error-idempotency-conflict',
    'The error of a reused Idempotency-Key is 422 idempotency_conflict: exactly code, message and status.',
    async (api) => {
      const headers = { 'Idempotency-Key': `conform-${api.runId}-taken` };
      await expectOutcome(api, creating(renderPet(named(api, 'taken')), headers), '201');
      const other = creating(renderPet(named(api, 'not taken')), headers);
      await expectError(api, other, '422 idempotency_conflict');
    },
  ],
]);

async function expectError(api: Api, request: ApiRequest, outcome: string): Promise<void> {
  const exchange = await expectOutcome(api, request, outcome);
  expectHeader(exchange, 'Content-Type', 'application/json');
  const { message, status, fieldNames } = readError(exchange);
  expectFields(fieldNames, ['code', 'message', 'status'], exchange);
  expectThat(status === BigInt(exchange.status), exchange, `the status ${exchange.status} in the body`);
  const isSentence = typeof message === 'string' && /^.+[.>"]$/.test(message);
  expectThat(isSentence, exchange, 'a message that is a whole sentence');
}

function expectFields(seen: string[], expected: string[], exchange: Parameters<typeof readError>[0]): void {
  const isSame = seen.toSorted().join() === expected.toSorted().join();
  expectThat(isSame, exchange, `the fields ${expected.join(', ')} alone`, `the fields ${seen.join(', ')}`);
}
