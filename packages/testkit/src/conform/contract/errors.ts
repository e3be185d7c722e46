import { sendAll, withEach, type Api, type ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { expectErrorBody } from '../errors.ts';
import { expectJsonType } from '../expectations.ts';
import { expectStatus } from '../mismatch.ts';
import { creating, named, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';
import { unknownId } from './get.ts';

/** Every error that the contract lists. */
const errors: [name: string, what: string, status: number, request: (api: Api) => Promise<ApiRequest[]>][] = [
  [
    'create-400',
    'The 400 of POST /pets',
    400,
    async () => [creating('{}'), creating('{"name":7,"categoryId":"x"}'), creating('{')],
  ],
  ['list-401', 'The 401 of GET /pets', 401, async () => withoutKey({ path: '/pets' })],
  [
    'create-401',
    'The 401 of POST /pets',
    401,
    async (api) => withoutKey(creating(renderPet(named(api, 'without a key')))),
  ],
  [
    'get-401',
    'The 401 of GET /pets/{petId}',
    401,
    async (api) => withoutKey({ path: `/pets/${(await sampleWith(api)).created.id}` }),
  ],
  ['get-404', 'The 404 of GET /pets/{petId}', 404, async () => [{ path: `/pets/${unknownId()}` }]],
];

/** The Error body: `code`, `message` and `status`. */
export const errorChecks = checksOf(
  'contract',
  'errors',
  errors.map(([name, what, status, requestsOf]): Entry => [
    name,
    `${what} is an Error with a code, a message and the status ${status}, as application/json.`,
    async (api) => {
      for (const exchange of await sendAll(api, await requestsOf(api))) {
        expectStatus(exchange, status);
        expectErrorBody(exchange);
        expectJsonType(exchange);
      }
    },
  ]),
);

function withoutKey(request: ApiRequest): ApiRequest[] {
  return withEach(request, [null, 'Bearer conform-wrong-key']);
}
