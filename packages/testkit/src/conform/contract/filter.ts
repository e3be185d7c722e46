import { checksOf, type Entry } from '../check.ts';
import { expectRefusalOrPets, expectValues, findById, reasons } from '../expectations.ts';
import { expectThat } from '../mismatch.ts';
import { listPets, readPets } from '../pets.ts';
import { limits, statuses } from '../rules.ts';
import { samples } from '../samples.ts';

const filterReason = 'a filter lets other pets through';

/** The parameter `status` of `GET /pets`. */
export const filterChecks = checksOf('contract', 'filter', [
  ...statuses.map((status): Entry => [
    `only-${status}`,
    `The filter status=${status} lists pets with this status and no others.`,
    async (api) => {
      await samples(api);
      const exchange = await listPets(api, `?limit=100&status=${status}`);
      const pets = readPets(exchange);
      expectThat(pets.length > 0, exchange, `pets that are ${status}: this run created some`);
      for (const pet of pets) {
        expectThat(pet.status === status, exchange, `only pets that are ${status}`, pet.text, filterReason);
      }
    },
  ]),
  [
    'shows-created-pets',
    'A filtered list that is not cut off shows every created pet with the status.',
    async (api) => {
      const created = await samples(api);
      for (const status of statuses) {
        const exchange = await listPets(api, `?status=${status}&limit=100`);
        const pets = readPets(exchange);
        const isCut = pets.length >= limits.largest;
        for (const sample of created.filter((each) => (each.sent.status ?? each.created.status) === status)) {
          const pet = findById(pets, sample.created);
          if (pet) expectValues(exchange, pet, sample.sent, sample.created);
          const isThere = pet !== undefined || isCut;
          const expected = `the pet ${sample.created.id}, which is ${status}`;
          expectThat(isThere, exchange, expected, undefined, reasons.missing);
        }
      }
    },
  ],
  [
    'before-limit',
    'The filter comes before the limit: one pet of each status is found with limit=1.',
    async (api) => {
      await samples(api);
      for (const status of statuses) {
        const exchange = await listPets(api, `?limit=1&status=${status}`);
        const [pet] = readPets(exchange);
        expectThat(pet?.status === status, exchange, `one pet that is ${status}`, undefined, filterReason);
      }
    },
  ],
  [
    'default-limit',
    'A filtered list without a limit has at most 20 pets.',
    async (api) => {
      await samples(api);
      for (const status of statuses) {
        const exchange = await listPets(api, `?status=${status}`);
        const { length } = readPets(exchange);
        const isRight = length > 0 && length <= limits.default;
        expectThat(isRight, exchange, '1 to 20 pets', `${length} pets`, 'default limit');
      }
    },
  ],
  [
    'unknown-value',
    'A status that is not a PetStatus is refused with an Error body, or the list is empty.',
    async (api) => {
      await samples(api);
      for (const status of ['lost', 'Available', 'SOLD', 'sold%2Cpending']) {
        const exchange = await listPets(api, `?limit=100&status=${status}`);
        const pets = expectRefusalOrPets(exchange);
        const seen = `${pets.length} pets`;
        const reason = `${filterReason} > ${status}`;
        expectThat(pets.length === 0, exchange, 'a refusal or an empty list', seen, reason);
      }
    },
  ],
]);
