import { expect, it } from 'bun:test';
import { renderNewPet } from '../src/wire/exact-json.ts';
import { problemsOf, type NewPet } from '../src/index.ts';
import { post } from '../../../test/support/http/calls.ts';
import { openService } from '../../../test/support/http/service.ts';

const rex: NewPet = { name: 'Rex', categoryId: 1n, status: 'sold' };
const invalidPets: [Partial<Record<keyof NewPet, unknown>>, (keyof NewPet)[]][] = [
  [{ name: 'a\0' }, ['name']],
  [{ name: '\ud83d' }, ['name']],
  [{ name: '\udc15\ud83d' }, ['name']],
  [{ categoryId: 2n ** 63n }, ['categoryId']],
  [{ categoryId: -(2n ** 63n) - 1n }, ['categoryId']],
  [{ status: 'lost' }, ['status']],
  [{ status: '' }, ['status']],
  [{ name: '\0', categoryId: 2n ** 64n, status: 'Sold' }, ['name', 'categoryId', 'status']],
];
const validPets: Partial<NewPet>[] = [
  { name: '' },
  { name: '🐕‍🦺\u0007' },
  { categoryId: -(2n ** 63n) },
  { categoryId: 2n ** 63n - 1n },
  { status: 'pending' },
];

it('problemsOf finds exactly the pets that the service refuses, by field', async () => {
  await using service = await openService();
  const cases = [...invalidPets, ...validPets.map((pet) => [pet, []] as const)];
  for (const [change, fields] of cases) {
    const pet = { ...rex, ...change } as NewPet;
    const body = renderNewPet(pet);
    expect(Object.keys(problemsOf(pet)), body).toEqual([...fields]);
    expect((await service.call('/v1/pets', post(body))).status, body).toBe(fields.length > 0 ? 400 : 201);
  }
});
