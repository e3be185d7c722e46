import { JsonNumber } from '../conform/exact-json.ts';
import { editPets, type Fields, type OperationName, without } from './edit.ts';
import type { MutantDefinition } from './mutant.ts';

const operations: readonly (readonly [OperationName, string, string])[] = [
  ['listPets', 'in-list', 'a list returns'],
  ['createPet', 'in-create', 'a create returns'],
  ['getPet', 'in-get', 'getPet returns'],
];

/** Mistakes in the returned pets. The stored ones are right. */
export const returnedPetMutants: readonly MutantDefinition[] = [
  ...inEachOperation(32, 'name-missing', 'The pet that $ has no name.', (pet) => without(pet, 'name')),
  ...inEachOperation(38, 'id-text', 'The id of the pet that $ is a string.', (pet) => ({
    ...pet,
    id: String(pet['id']),
  })),
  ...inEachOperation(
    44,
    'category-rounded',
    'The categoryId of the pet that $ has passed a double.',
    (pet) => ({
      ...pet,
      categoryId: Number(pet['categoryId']),
    }),
  ),
  ...inEachOperation(47, 'status-null', 'The pet that $ has status null if it has no status.', (pet) => ({
    ...pet,
    status: pet['status'] ?? null,
  })),
  ...inEachOperation(50, 'status-left-out', 'The pet that $ never has a status.', (pet) =>
    without(pet, 'status'),
  ),
  ...inEachOperation(53, 'status-invented', 'The pet that $ is available if it has no status.', (pet) => ({
    ...pet,
    status: pet['status'] ?? 'available',
  })),
  ...inEachOperation(214, 'fraction', 'The integers of the pet that $ are written as 1.0.', (pet) => ({
    ...pet,
    id: new JsonNumber(`${String(pet['id'])}.0`),
    categoryId: new JsonNumber(`${String(pet['categoryId'])}.0`),
  })),
  {
    number: 59,
    name: 'extra-field',
    breaks: 'strict',
    description: 'Every pet has a field that the API does not know.',
    wrap: editPets(['listPets', 'createPet', 'getPet'], (pet) => ({ ...pet, createdAt: '2026-11-14' })),
  },
  {
    number: 60,
    name: 'snake-case',
    description: 'Every pet has category_id instead of categoryId.',
    wrap: editPets(['listPets', 'createPet', 'getPet'], (pet) => ({
      ...without(pet, 'categoryId'),
      category_id: pet['categoryId'],
    })),
  },
];

/** Makes one mutant per operation, because a check of one operation says nothing about the others. */
function inEachOperation(
  number: number,
  name: string,
  description: string,
  edit: (pet: Fields) => Fields,
): MutantDefinition[] {
  return operations.map(([operation, suffix, returns], index) => ({
    number: number + index,
    name: `${name}-${suffix}`,
    description: description.replace('$', returns),
    operation,
    wrap: editPets([operation], edit),
  }));
}
