import { sendAll, withEach, type Api, type ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectError } from '../expectations.ts';
import { expectStatus } from '../mismatch.ts';
import { newPet, post, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';
import { expectCount, findWholeList } from '../whole-list.ts';

export interface OperationCall {
  name: string;
  /** Such as `GET /pets`. */
  title: string;
  request: (api: Api) => Promise<ApiRequest>;
}

export const operations: OperationCall[] = [
  { name: 'list', title: 'GET /pets', request: async () => ({ path: '/pets' }) },
  {
    name: 'create',
    title: 'POST /pets',
    request: async (api) => post(renderPet(newPet(api, 'authentication'))),
  },
  {
    name: 'get',
    title: 'GET /pets/{petId}',
    request: async (api) => ({ path: `/pets/${(await sampleWith(api)).created.id}` }),
  },
];

type CredentialsOf = (key: string) => (string | null)[];

/** Missing or invalid credentials; the strict profile checks the code. */
export const badCredentials: [name: string, what: string, code: string, credentials: CredentialsOf][] = [
  ['missing-key', 'without an Authorization header', 'unauthorized', () => [null]],
  [
    'wrong-key',
    'with a key that is not the API key',
    'invalid_api_key',
    (key) => ['Bearer conform-wrong-key', `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`, `Bearer x${key}`],
  ],
  [
    'other-case',
    'with the API key in the other case',
    'invalid_api_key',
    (key) =>
      [key.toUpperCase(), key.toLowerCase()].filter((text) => text !== key).map((text) => `Bearer ${text}`),
  ],
  [
    'wrong-scheme',
    'with another scheme',
    'unauthorized',
    (key) => [`Basic ${btoa(`${key}:`)}`, `Token ${key}`, `Basic ${key}`],
  ],
  ['no-scheme', 'with the API key but no scheme', 'unauthorized', (key) => [key, `Bearer${key}`]],
  ['empty-key', 'with an empty key', 'unauthorized', () => ['Bearer', 'Bearer ', '']],
];

/** The bearer key, on every operation. */
export const authenticationChecks = checksOf('contract', 'authentication', [
  ...operations.flatMap(({ name: operation, title, request }) =>
    badCredentials.map(([name, what, , credentialsOf]): Entry => [
      `${operation}-${name}`,
      `${title} ${what} is 401 with an Error as JSON.`,
      async (api) => {
        const requests = withEach(await request(api), credentialsOf(api.apiKey));
        for (const exchange of await sendAll(api, requests)) {
          expectError(exchange, 401);
        }
      },
    ]),
  ),
  [
    'nothing-stored',
    'A create without a valid key stores nothing.',
    async (api) => {
      const list = await findWholeList(api);
      const pet = { ...newPet(api, 'never stored'), ...(list?.status && { status: list.status }) };
      for (const authorization of [null, 'Bearer conform-wrong-key']) {
        expectStatus(await api.send({ ...post(renderPet(pet)), authorization }), 401);
      }
      if (list) await expectCount(api, list, pet.name, 0);
    },
  ],
]);
