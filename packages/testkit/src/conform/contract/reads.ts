import type { Api } from '../api.ts';
import { checksOf } from '../check.ts';
import { describeResponse, expectThat } from '../mismatch.ts';
import { getPet, listPets } from '../pets.ts';
import { statuses } from '../rules.ts';
import { sampleWith, samples } from '../samples.ts';

/** In a larger store, the list of one status may still show all of its pets. */
const wholeLists = ['?limit=100', ...statuses.map((status) => `?limit=100&status=${status}`)];

/** Reads change nothing, and no request affects the meaning of a later read. */
export const readChecks = checksOf('contract', 'reads', [
  [
    'same-list',
    'The same list twice is the same list, while nobody creates pets.',
    async (api) => {
      await samples(api);
      for (const query of ['', '?limit=7', '?status=sold', '?status=pending&limit=2', ...wholeLists]) {
        await expectSame(api, `/pets${query}`);
      }
    },
  ],
  [
    'same-pet',
    'The same pet twice is the same pet.',
    async (api) => {
      for (const { created } of (await samples(api)).slice(0, 4))
        await expectSame(api, `/pets/${created.id}`);
    },
  ],
  [
    'list-after-list',
    'A limit and a filter count for one request: the next list without them has neither.',
    async (api) => {
      await samples(api);
      await expectSame(api, '/pets', () => listPets(api, '?limit=1&status=sold'));
    },
  ],
  [
    'list-after-get',
    'A fetch adds no pet to the lists and takes none from them.',
    async (api) => {
      const { id } = (await sampleWith(api, 'sold')).created;
      for (const query of wholeLists) await expectSame(api, `/pets${query}`, () => getPet(api, id));
    },
  ],
]);

const attempts = 3;

/** Another caller may add a pet between two reads, so one pair of equal responses is enough. */
async function expectSame(
  api: Api,
  path: string,
  readBetween: () => Promise<unknown> = async () => {},
): Promise<void> {
  let before = await api.send({ path });
  for (let attempt = 1; ; attempt++) {
    await readBetween();
    const after = await api.send({ path });
    if (after.text === before.text && after.status === before.status) return;
    expectThat(attempt < attempts, after, `the same response as before: ${describeResponse(before)}`);
    before = after;
  }
}
