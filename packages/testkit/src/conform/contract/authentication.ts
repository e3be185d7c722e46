import { sendAll, withEach, type Api, type ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectErrorBody } from '../errors.ts';
import { expectStatus } from '../mismatch.ts';
import { creating, named, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';
import { expectCount, findWholeList } from '../whole-list.ts';

export interface OperationCall {
  name: string;
  request: (api: Api) => Promise<ApiRequest>;
  success: number;
}

export const operations: OperationCall[] = [
  { name: 'list', request: async () => ({ path: '/pets' }), success: 200 },
  {
    name: 'create',
    request: async (api) => creating(renderPet(named(api, 'authentication'))),
    success: 201,
  },
  {
    name: 'get',
    request: async (api) => ({ path: `/pets/${(await sampleWith(api)).created.id}` }),
    success: 200,
  },
];

const operationNames: Record<string, string> = {
  list: 'GET /pets',
  create: 'POST /pets',
  get: 'GET /pets/{petId}',
};

/** Missing or invalid credentials. */
const refused: [name: string, what: string, credentials: (key: string) => (string | null)[]][] = [
  ['missing-key', 'without an Authorization header', () => [null]],
  [
    'wrong-key',
    'with a key that is not the API key',
    (key) => ['Bearer conform-wrong-key', `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`, `Bearer x${key}`],
  ],
  [
    'other-case',
    'with the API key in the other case',
    (key) =>
      [key.toUpperCase(), key.toLowerCase()].filter((text) => text !== key).map((text) => `Bearer ${text}`),
  ],
  [
    'wrong-scheme',
    'with another scheme',
    (key) => [`Basic ${btoa(`${key}:`)}`, `Token ${key}`, `Basic ${key}`],
  ],
  ['no-scheme', 'with the API key but no scheme', (key) => [key, `Bearer${key}`]],
  ['empty-key', 'with an empty key', () => ['Bearer', 'Bearer ', '']],
];

/** The bearer key, on every operation. */
export const authenticationChecks = checksOf('contract', 'authentication', [
  ...operations.flatMap((operation): Entry[] => [
    [
      `${operation.name}-valid-key`,
      `${operationNames[operation.name]} accepts Authorization: Bearer <API_KEY>.`,
      async (api) => expectStatus(await api.send(await operation.request(api)), operation.success),
    ],
    ...refused.map(([name, what, credentialsOf]): Entry => [
      `${operation.name}-${name}`,
      `${operationNames[operation.name]} ${what} is 401 with an Error body.`,
      async (api) => {
        const request = await operation.request(api);
        const requests = withEach(request, credentialsOf(api.apiKey));
        for (const exchange of await sendAll(api, requests)) {
          expectStatus(exchange, 401);
          expectErrorBody(exchange);
        }
      },
    ]),
  ]),
  [
    'nothing-stored',
    'A create without a valid key stores nothing.',
    async (api) => {
      const list = await findWholeList(api);
      const pet = { ...named(api, 'never stored'), ...(list?.status && { status: list.status }) };
      for (const authorization of [null, 'Bearer conform-wrong-key']) {
        expectStatus(await api.send({ ...creating(renderPet(pet)), authorization }), 401);
      }
      if (list) await expectCount(api, list, pet.name, 0);
    },
  ],
  [
    'every-request',
    'A key counts for one request: after a valid one, a request without a key is 401 all the same.',
    async (api) => {
      for (const { request } of operations.filter(({ name }) => name !== 'create')) {
        const read = await request(api);
        expectStatus(await api.send(read), 200);
        expectStatus(await api.send({ ...read, authorization: null }), 401);
        expectStatus(await api.send(read), 200);
      }
    },
  ],
]);
