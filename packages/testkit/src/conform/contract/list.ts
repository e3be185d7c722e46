import type { Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectJsonType, expectStatusField, expectValues, findById, reasons } from '../expectations.ts';
import { expectStatus, expectThat } from '../mismatch.ts';
import { listAll, listPets, readPets, type SeenPet } from '../pets.ts';
import { limits, statuses } from '../rules.ts';
import { samples } from '../samples.ts';

const longestList = '?limit=100';
const queries = ['', longestList, ...statuses.map((status) => `?status=${status}`)];

/** `GET /pets`, apart from its limit and filter, which have their own files. */
export const listChecks = checksOf('contract', 'list', [
  [
    'versioned-address',
    'The API is at its base address, which ends in /v1 unless --base names another.',
    async (api) => {
      const exchange = await api.send({ path: '/v1/pets', isOutsideBase: true });
      expectStatus(exchange, 200);
    },
  ],
  [
    'content-type',
    'A list is sent as application/json.',
    async (api) => {
      for (const exchange of await listAll(api, queries)) expectJsonType(exchange);
    },
  ],
  [
    'pet-fields',
    'Every pet of a list has an int64 id, a string name and an int64 categoryId. Its status is available, pending or sold, or absent, but never null.',
    async (api) => {
      await samples(api);
      for (const exchange of await listAll(api, queries)) {
        const pets = readPets(exchange);
        expectThat(pets.length > 0, exchange, 'a list with pets: this run created some');
        for (const pet of pets) expectFields(exchange, pet);
      }
    },
  ],
  [
    'unique-ids',
    'No id occurs twice in a list.',
    async (api) => {
      await samples(api);
      for (const exchange of await listAll(api, queries)) {
        const ids = readPets(exchange).map(({ id }) => id);
        expectThat(
          new Set(ids).size === ids.length,
          exchange,
          'ids that differ',
          `the ids ${ids.join(', ')}`,
        );
      }
    },
  ],
  [
    'shows-created-pets',
    'A list that is not cut off by its limit shows every created pet, with the values that were sent.',
    async (api) => {
      const created = await samples(api);
      const exchange = await listPets(api, longestList);
      const pets = readPets(exchange);
      for (const sample of created) {
        const pet = findById(pets, sample.created);
        if (pet) expectValues(exchange, pet, sample.sent, sample.created);
        const isCut = pets.length >= limits.largest;
        expectThat(
          pet !== undefined || isCut,
          exchange,
          `the pet ${sample.created.id}, which was created before`,
          undefined,
          reasons.missing,
        );
      }
    },
  ],
]);

function expectFields(exchange: Exchange, pet: SeenPet): void {
  const { name, categoryId, text } = pet;
  expectThat(typeof name === 'string', exchange, 'a string name in each pet', text, reasons.name);
  const expected = 'an int64 categoryId in each pet';
  expectThat(categoryId !== undefined, exchange, expected, text, reasons.categoryId);
  expectStatusField(exchange, pet);
}
