import { checksOf } from '../check.ts';
import { reasons } from '../expectations.ts';
import { expectThat } from '../mismatch.ts';
import { createPet, getPet, listPets, named, readPet, readPets, type SeenPet } from '../pets.ts';
import { limits } from '../rules.ts';
import { samples } from '../samples.ts';

const fieldNames = ['id', 'name', 'categoryId', 'status'] as const;

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
]);
