import type { ApiRequest } from '../api.ts';
import { checksOf, type Entry } from '../check.ts';
import { JsonNumber } from '../exact-json.ts';
import { createOfCategory, expectValues, findById } from '../expectations.ts';
import { Mismatch } from '../mismatch.ts';
import { getPet, listPets, newPet, post, readPet, readPets, renderPet, type SeenPet } from '../pets.ts';
import { sampleWith } from '../samples.ts';
import { findWholeList } from '../whole-list.ts';

const categories: [name: string, what: string, value: string][] = [
  ['largest', 'the largest int64', '9223372036854775807'],
  ['smallest', 'the smallest int64', '-9223372036854775808'],
  ['past-double', '2^53 + 1, which no double holds', '9007199254740993'],
  ['past-int32', 'a negative number past int32', '-2147483649'],
  ['zero', 'zero', '0'],
];

/** 64-bit integers, exact to the last digit. */
export const int64Checks = checksOf('contract', 'int64', [
  ...categories.map(([name, what, categoryId]): Entry => [
    `category-${name}`,
    `A categoryId may be ${what}; the create, the pet and the list return it exactly.`,
    async (api) => {
      const { query = '?limit=100', status } = (await findWholeList(api)) ?? {};
      const sent = { ...newPet(api, `category ${name}`), categoryId, ...(status && { status }) };
      const created = await createOfCategory(api, sent);
      if (!created) return;
      const pet = await getPet(api, created.id);
      expectValues(pet, readPet(pet), sent, created);
      const list = await listPets(api, query);
      const listed = findById(readPets(list), created);
      if (listed) expectValues(list, listed, sent, created);
    },
  ]),
  [
    'spelling',
    'An id and a categoryId are JSON integers, and not strings, fractions or numbers with an exponent.',
    async (api) => {
      const { sent, created } = await sampleWith(api);
      const get = await getPet(api, created.id);
      const list = await listPets(api, '?limit=100');
      expectIntegers(post(renderPet(sent)), [created]);
      expectIntegers(get.request, [readPet(get)]);
      expectIntegers(list.request, readPets(list));
    },
  ],
]);

function expectIntegers(request: ApiRequest, pets: SeenPet[]): void {
  const strange = pets.find(({ integers }) => !integers.every(isPlainInteger));
  if (strange) throw new Mismatch(request, 'integers such as 42', strange.text);
}

function isPlainInteger(value: unknown): boolean {
  return value instanceof JsonNumber && /^-?\d+$/.test(value.source);
}
