import { isPetStatus } from 'petstore-server/embed';
import { editNewPet, editNewPetText, editRequest, type Fields, withDefault } from './edit.ts';
import { JsonNumber, parseExactJson, renderExactJson } from '../conform/exact-json.ts';
import type { MutantDefinition, Wrap } from './mutant.ts';

const integer = /^-?\d+$/;

/** Accepts creates that must be refused: the pet is adjusted and stored. */
export const acceptedMutants: readonly MutantDefinition[] = [
  {
    number: 61,
    name: 'name-missing-accepted',
    description: 'A create without a name stores a pet with an empty name.',
    wrap: editNewPet((pet) => withDefault(pet, 'name', '')),
  },
  {
    number: 62,
    name: 'name-number-accepted',
    description: 'A name that is a number is stored as text.',
    wrap: editField('name', (name) => (name instanceof JsonNumber ? name.source : name)),
  },
  {
    number: 64,
    name: 'category-missing-accepted',
    description: 'A create without a categoryId stores a pet of category 0.',
    wrap: editNewPet((pet) => withDefault(pet, 'categoryId', 0)),
  },
  {
    number: 65,
    name: 'category-text-accepted',
    description: 'A categoryId that is a string of digits is stored as a number.',
    wrap: editField('categoryId', (value) =>
      typeof value === 'string' && integer.test(value) ? new JsonNumber(String(BigInt(value))) : value,
    ),
  },
  {
    number: 67,
    name: 'category-fraction-accepted',
    description: 'A categoryId such as 1.5 is rounded down.',
    wrap: editField('categoryId', (value) =>
      value instanceof JsonNumber && !integer.test(value.source) ? Math.floor(Number(value.source)) : value,
    ),
  },
  {
    number: 69,
    name: 'category-past-int64-wrapped',
    description: 'A categoryId past int64 wraps around to the other end.',
    wrap: editField('categoryId', (value) =>
      value instanceof JsonNumber && integer.test(value.source)
        ? new JsonNumber(String(BigInt.asIntN(64, BigInt(value.source))))
        : value,
    ),
  },
  {
    number: 70,
    name: 'status-unknown-accepted',
    description: 'An unknown status is dropped and the pet is stored.',
    wrap: editField('status', (status) =>
      typeof status === 'string' && !isPetStatus(status) ? undefined : status,
    ),
  },
  {
    number: 72,
    name: 'status-null-accepted',
    description: 'A status of null is taken as none.',
    wrap: editField('status', (status) => status ?? undefined),
  },
  {
    number: 74,
    name: 'body-array-accepted',
    description: 'An array with one pet in it is stored as that pet.',
    wrap: editNewPetText((text) => (text.startsWith('[') ? firstOf(text) : text)),
  },
  {
    number: 75,
    name: 'body-any-media-type',
    breaks: 'strict',
    description: 'A create is accepted with any Content-Type.',
    wrap: editRequest((request) => {
      const headers = new Headers(request.headers);
      headers.set('Content-Type', 'application/json');
      return new Request(request, { headers });
    }),
  },
];

/** Changes a field of a create if it is present; undefined removes it. */
function editField(name: string, edit: (value: unknown) => unknown): Wrap {
  return editNewPet((pet) => (Object.hasOwn(pet, name) ? { ...pet, [name]: edit(pet[name]) } : pet));
}

function firstOf(text: string): string {
  try {
    return renderExactJson((parseExactJson(text) as Fields[])[0] ?? []);
  } catch {
    return text;
  }
}
