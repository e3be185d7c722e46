import type { Api } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectRefusalOrPets, reasons } from '../expectations.ts';
import { expectThat } from '../mismatch.ts';
import { listPets, readList, readPets } from '../pets.ts';
import { limits, statuses } from '../rules.ts';
import { sampleCount, samples } from '../samples.ts';

const { tooFew } = reasons;
const tooMany = 'a list has too many pets';

/** The parameter `limit` of `GET /pets`. The store has at least {@link sampleCount} pets. */
export const limitChecks = checksOf('contract', 'limits', [
  [
    'default',
    'Without a limit, a list has 20 pets if there are as many.',
    (api) => expectLength(api, '', limits.default),
  ],
  [
    'given',
    'A list has as many pets as its limit says, if there are as many.',
    async (api) => {
      const lengths = [1, 2, 3, 10, 19, 20, 21, sampleCount];
      await Promise.all(lengths.map((limit) => expectLength(api, `?limit=${limit}`, limit)));
    },
  ],
  [
    'largest',
    'The limit 100 is accepted and gives all pets up to 100.',
    async (api) => {
      const ids = new Set((await samples(api)).map(({ created }) => created.id));
      for (const status of statuses) {
        for (const { id } of await readList(api, `?limit=100&status=${status}`)) ids.add(id);
      }
      const exchange = await listPets(api, '?limit=100');
      const { length } = readPets(exchange);
      const least = Math.min(ids.size, limits.largest);
      const isRight = length >= least && length <= limits.largest;
      const rule = `${least} to 100 pets: at least ${least} are there`;
      expectThat(isRight, exchange, rule, `${length} pets`, length < least ? tooFew : tooMany);
    },
  ],
  [
    'with-filter',
    'The limit holds for a filtered list, too.',
    async (api) => {
      for (const query of ['?status=sold&limit=1', '?limit=1&status=sold']) await expectLength(api, query, 1);
      await expectLength(api, '?limit=5&status=pending', 5);
    },
  ],
  [
    'invalid',
    'Any other limit is refused with an Error body, or gives a list of at most 100 pets.',
    async (api) => {
      await samples(api);
      for (const limit of ['0', '-1', '101', '1000', '9223372036854775808', 'abc', '1.5', '']) {
        expectRefusalOrPets(await listPets(api, `?limit=${limit}`));
      }
    },
  ],
]);

async function expectLength(api: Api, query: string, expected: number): Promise<void> {
  await samples(api);
  const exchange = await listPets(api, query);
  const { length } = readPets(exchange);
  const reason = query === '' ? 'default limit' : length > expected ? tooMany : tooFew;
  const rule = `${expected} pets: at least as many are there`;
  expectThat(length === expected, exchange, rule, `${length} pets`, reason);
}
