import type { Pet, PetFields } from '../../../client/src/index.ts';

/** What a person wants for a pet: other values, or that it goes. */
export type Wish = PetFields | 'remove';

/** All that a person sees of a pet. A change names it, so that it fails if somebody else was faster. */
export function fieldsOf({ name, categoryId, status }: Pet): PetFields {
  return { name, categoryId, status: status ?? null };
}

/** The pet as it is wanted. */
export function withFields(pet: Pet, { name, categoryId, status }: PetFields): Pet {
  const { status: before, ...others } = pet;
  const after = status === undefined ? before : (status ?? undefined);
  return {
    ...others,
    ...(name !== undefined && { name }),
    ...(categoryId !== undefined && { categoryId }),
    ...(after && { status: after }),
  };
}

/** The wish that takes another one back. */
export function reversed(seen: Pet, fields: PetFields): PetFields {
  const before = fieldsOf(seen);
  return {
    ...(fields.name !== undefined && { name: before.name }),
    ...(fields.categoryId !== undefined && { categoryId: before.categoryId }),
    ...(fields.status !== undefined && { status: before.status }),
  };
}
