import type { Api } from '../api.ts';
import { checksOf } from '../check.ts';
import { reasons } from '../expectations.ts';
import { describeResponse, expectThat } from '../mismatch.ts';
import { createPet, getPet, listPets, newPet, readPet, readPets, type SeenPet } from '../pets.ts';
import { limits, statuses } from '../rules.ts';
import { sampleWith, samples } from '../samples.ts';

/** In a larger store, the list of one status may still show all of its pets. */
const wholeLists = ['?limit=100', ...statuses.map((status) => `?limit=100&status=${status}`)];
const fieldNames = ['id', 'name', 'categoryId', 'status'] as const;

/**
 * The three operations agree about which pets exist, and reads do not change them. A filtered list shows new pets even in a
 * store with more than 100; if that list is cut off as well, the checks cannot tell.
 */
export const agreementChecks = checksOf('contract', 'agreement', [
  [
    'list-and-get',
    'A list shows each pet as GET /pets/{petId} does.',
    async (api) => {
      await samples(api);
      const exchange = await listPets(api);
      const compare = async (listed: SeenPet): Promise<void> => {
        const fetched = readPet(await getPet(api, listed.id));
        const other = fieldNames.find((name) => listed[name] !== fetched[name]);
        const isAbout = typeof fetched.status === typeof listed.status ? (other ?? 'id') : 'statusNotSent';
        const expected = `${fetched.text}, as it is fetched`;
        expectThat(other === undefined, exchange, expected, listed.text, reasons[isAbout]);
      };
      await Promise.all(readPets(exchange).map(compare));
    },
  ],
  [
    'one-pet-per-create',
    'A create adds one pet.',
    async (api) => {
      const sent = { ...newPet(api, 'only one'), status: 'sold' };
      await createPet(api, sent);
      const exchange = await listPets(api, '?status=sold&limit=100');
      const pets = readPets(exchange);
      const { length } = pets.filter(({ name }) => name === sent.name);
      const isCut = pets.length >= limits.largest;
      const reason = length === 0 ? reasons.missing : 'a create adds one pet';
      expectThat(
        length === 1 || (isCut && length === 0),
        exchange,
        'the pet once',
        `${length} of it`,
        reason,
      );
    },
  ],
  [
    'same-list',
    'Two reads of a list are equal while nobody creates pets.',
    async (api) => {
      await samples(api);
      for (const query of ['', '?limit=7', '?status=sold', '?status=pending&limit=2', ...wholeLists]) {
        await expectSame(api, `/pets${query}`);
      }
    },
  ],
  [
    'same-pet',
    'Two reads of a pet are equal.',
    async (api) => {
      for (const { created } of (await samples(api)).slice(0, 4))
        await expectSame(api, `/pets/${created.id}`);
    },
  ],
  [
    'list-after-list',
    'A limit and a filter apply to one request only, not to the next list.',
    async (api) => {
      await samples(api);
      await expectSame(api, '/pets', () => listPets(api, '?limit=1&status=sold'));
    },
  ],
  [
    'list-after-get',
    'A fetch leaves the lists as they are.',
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
