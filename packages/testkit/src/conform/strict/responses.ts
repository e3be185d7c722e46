import type { Exchange } from '../api.ts';
import { checksOf } from '../check.ts';
import { expectOutcome } from '../errors.ts';
import { expectHeader, expectHeaderMatch, expectThat } from '../mismatch.ts';
import { getPet, listPets, newPet, post, readPet, readPets, renderPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';

/** The form of responses, beyond the required fields. */
export const responseChecks = checksOf('strict', 'responses', [
  [
    'location',
    'A 201 has the path of the new pet in Location.',
    async (api) => {
      const sent = { ...newPet(api, 'located'), status: 'sold' };
      const exchange = await expectOutcome(api, post(renderPet(sent)), '201');
      const location = expectHeaderMatch(exchange, 'Location', /^\/v1\/pets\/-?\d+$/);
      expectHeader(exchange, 'Content-Type', 'application/json');
      expectThat(readPet(exchange, 201).id > 0n, exchange, 'an id greater than 0');
      const located = await expectOutcome(api, { path: location, isOutsideBase: true }, '200');
      expectThat(located.text === exchange.text, located, `the pet of the 201: ${exchange.text}`);
    },
  ],
  [
    'pet-fields',
    'A pet has only the fields id, name, categoryId and status; an absent status is left out.',
    async (api) => {
      const [withStatus, without] = [await sampleWith(api, 'sold'), await sampleWith(api)];
      for (const { sent, created } of [withStatus, without]) {
        const expected = ['id', 'name', 'categoryId', ...(sent.status === undefined ? [] : ['status'])];
        const exchange = await getPet(api, created.id);
        for (const { fieldNames } of [readPet(exchange), created]) {
          expectFields(fieldNames, expected, exchange);
        }
      }
      const list = await listPets(api, '?limit=100');
      for (const { fieldNames, status } of readPets(list)) {
        const expected = ['id', 'name', 'categoryId', ...(status === undefined ? [] : ['status'])];
        expectFields(fieldNames, expected, list);
      }
    },
  ],
]);

function expectFields(seen: string[], expected: string[], exchange: Exchange): void {
  const isSame = seen.toSorted().join() === expected.toSorted().join();
  expectThat(isSame, exchange, `the fields ${expected.join(', ')} alone`, `the fields ${seen.join(', ')}`);
}
