import type { Api } from '../api.ts';
import { checksOf } from '../check.ts';
import { reasons } from '../expectations.ts';
import { expectThat } from '../mismatch.ts';
import { createPet, getPet, listPets, named, readPet, readPets, type SeenPet } from '../pets.ts';
import { limits } from '../rules.ts';
import { sampleWith, samples } from '../samples.ts';

const fieldNames = ['id', 'name', 'categoryId', 'status'] as const;
const soldPets = '?status=sold&limit=100';

/**
 * The three operations agree about which pets exist. A filtered list shows new pets even in a store with more than 100;
 * if that list is cut off as well, the checks cannot tell.
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
        const expected = `${fetched.shown}, as it is fetched`;
        expectThat(other === undefined, exchange, expected, listed.shown, reasons[isAbout]);
      };
      await Promise.all(readPets(exchange).map(compare));
    },
  ],
  [
    'one-pet-per-create',
    'A create adds one pet.',
    async (api) => {
      const sent = { ...named(api, 'only one'), status: 'sold' };
      await createPet(api, sent);
      const exchange = await listPets(api, soldPets);
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
  ['lists-add-nothing', 'A list adds no pet.', (api) => expectNoneAdded(api, () => listPets(api))],
  [
    'fetches-add-nothing',
    'A fetch adds no pet.',
    async (api) => {
      const { id } = (await sampleWith(api, 'sold')).created;
      await expectNoneAdded(api, () => getPet(api, id));
    },
  ],
]);

const attempts = 3;

/** Another caller may add a pet in between, so one attempt without an added pet is enough. */
async function expectNoneAdded(api: Api, read: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = readPets(await listPets(api, soldPets)).length;
    await read();
    const exchange = await listPets(api, soldPets);
    const after = readPets(exchange).length;
    if (after === before) return;
    expectThat(attempt < attempts, exchange, `${before} pets, as before`, `${after} pets`);
  }
}
