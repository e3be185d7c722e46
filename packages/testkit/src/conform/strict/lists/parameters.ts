import type { Api } from '../../api.ts';
import { checksOf } from '../../check.ts';
import { expectOutcomes, readError } from '../../errors.ts';
import { expectPets } from '../../expectations.ts';
import { expectThat } from '../../mismatch.ts';
import { getPet, listPets, readList, readPet } from '../../pets.ts';
import { samples } from '../../samples.ts';

const badLimits = ['0', '101', '-1', 'abc', '1.5', '', '+5', '05', '1e1', ' 5', '0x5', '５', '9'.repeat(400)];
const badStatuses = ['', 'Available', 'sold ', 'adopted', 'null', 'sold,pending', 'toString'];

const noIds = ['abc', '+1', '01', '-0', '1e0', '0x1', '1 ', '１', '9223372036854775808', '1'.repeat(300)];

/** The query and the petId. */
export const parameterChecks = checksOf('strict', 'parameters', [
  [
    'limit-refused',
    'Any other limit is 400 invalid_parameter with a message about it, and never becomes 100.',
    (api) => expectRefused(api, 'limit', badLimits),
  ],
  [
    'twice',
    'Two limits or two status filters are 400 invalid_parameter, equal or not.',
    async (api) => {
      const queries = ['limit=5&limit=5', 'limit=5&limit=6', 'status=sold&status=sold'];
      const requests = queries.map((query) => ({ path: `/pets?${query}` }));
      await expectOutcomes(api, requests, '400 invalid_parameter');
    },
  ],
  [
    'status-refused',
    'Any other status filter is 400 invalid_parameter with a message about it.',
    (api) => expectRefused(api, 'status', badStatuses),
  ],
  [
    'unknown-ignored',
    'Unknown query parameters are ignored.',
    async (api) => {
      await samples(api);
      const expected = await readList(api, '?limit=3');
      for (const extra of ['offset=2', 'Limit=0', 'limit[]=0', 'a=1&a=2', '=', '%zz', 'name'])
        expectPets(await listPets(api, `?${extra}&limit=3`), expected);
    },
  ],
  [
    'pet-id',
    'A petId that is not a canonical decimal int64 is 404.',
    async (api) => {
      await samples(api);
      const requests = noIds.map((petId) => ({ path: `/pets/${encodeURIComponent(petId)}` }));
      await expectOutcomes(api, requests, '404 not_found');
    },
  ],
  [
    'pet-id-bounds',
    'The bounds of int64 are petIds like any other: 404, unless a pet has the id.',
    async (api) => {
      for (const petId of ['0', '-1', '9223372036854775807', '-9223372036854775808']) {
        const exchange = await getPet(api, petId);
        if (exchange.status === 404) continue;
        expectThat(`${readPet(exchange).id}` === petId, exchange, `404, or the pet ${petId}`);
      }
    },
  ],
]);

async function expectRefused(api: Api, parameter: string, values: string[]): Promise<void> {
  const requests = values.map((value) => ({ path: `/pets?${parameter}=${encodeURIComponent(value)}` }));
  for (const exchange of await expectOutcomes(api, requests, '400 invalid_parameter')) {
    const { message } = readError(exchange);
    const isAboutIt = message.startsWith(`${parameter} `);
    expectThat(isAboutIt, exchange, `a message that begins with ${parameter}`);
  }
}
