import { sendAll } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectError, expectJsonType, expectRefusal, expectValues, reasons } from '../expectations.ts';
import { expectStatus, expectThat } from '../mismatch.ts';
import { createPet, getPet, newPet, readPet } from '../pets.ts';
import { sampleWith, samples } from '../samples.ts';

/** `GET /pets/{petId}`. */
export const getChecks = checksOf('contract', 'get', [
  [
    'returns-pet',
    'GET /pets/{petId} responds with 200 and the pet that has the id, with every field as it was sent.',
    async (api) => {
      const all = await samples(api);
      const exchanges = await sendAll(
        api,
        all.map(({ created }) => ({ path: `/pets/${created.id}` })),
      );
      for (const [index, exchange] of exchanges.entries()) {
        const sample = all[index];
        if (!sample) continue;
        const pet = readPet(exchange);
        const expected = `the pet ${sample.created.id}`;
        expectThat(pet.id === sample.created.id, exchange, expected, undefined, reasons.id);
        expectValues(exchange, pet, sample.sent, sample.created);
      }
    },
  ],
  [
    'content-type',
    'A pet is sent as application/json.',
    async (api) => expectJsonType(await getPet(api, (await sampleWith(api)).created.id)),
  ],
  [
    'at-once',
    'A pet can be fetched as soon as its 201 has arrived.',
    async (api) => {
      for (const what of ['at once', 'at once again']) {
        const sent = newPet(api, what);
        const created = await createPet(api, sent);
        const exchange = await getPet(api, created.id);
        expectValues(exchange, readPet(exchange), sent, created);
      }
    },
  ],
  [
    'unknown-id',
    'An id that no pet has is 404 with an Error as JSON.',
    async (api) => expectError(await getPet(api, unknownId()), 404),
  ],
  [
    'all-bits-count',
    'An id that shares only its lower 32 bits with that of a pet is 404.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      expectStatus(await getPet(api, id ^ (2n ** 40n)), 404);
    },
  ],
  [
    'not-an-id',
    'A petId that is not an int64 is an error of the caller, with an Error body.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      for (const petId of ['abc', `${id}abc`, `${id}.5`, `x${id}`]) expectRefusal(await getPet(api, petId));
    },
  ],
  [
    'past-int64',
    'A petId outside int64 does not wrap around to a pet. It is an error of the caller, with an Error body.',
    async (api) => {
      const { id } = (await sampleWith(api)).created;
      for (const petId of [id + 2n ** 64n, id - 2n ** 64n, 2n ** 63n]) {
        expectRefusal(await getPet(api, petId));
      }
    },
  ],
]);

/** A random id that no service counts up to. It is positive, because negative ids may be refused. */
function unknownId(): bigint {
  return 2n ** 62n + BigInt(Math.floor(Math.random() * 2 ** 48));
}
