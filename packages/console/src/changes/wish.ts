import type { Pet, PetFields } from '../../../client/src/index.ts';
import { petFields } from '../draft.ts';

/** What a person wants for a pet: other values, or that it goes. */
export type Wish = PetFields | 'remove';

/** All that a person sees of a pet. A change names it, so that it fails if somebody else was faster. */
export function fieldsOf(pet: Pet): PetFields {
  return Object.fromEntries(petFields.map((field) => [field, pet[field] ?? null]));
}

/** The pet as it is wanted. */
export function withFields(pet: Pet, fields: PetFields): Pet {
  const wanted: Record<string, unknown> = { ...pet };
  for (const field of petFields) {
    if (fields[field] === null) delete wanted[field];
    else if (fields[field] !== undefined) wanted[field] = fields[field];
  }
  return wanted as unknown as Pet;
}

/** The wish that takes another one back. */
export function reversed(seen: Pet, fields: PetFields): PetFields {
  const before = Object.entries(fieldsOf(seen));
  return Object.fromEntries(before.filter(([field]) => fields[field as keyof PetFields] !== undefined));
}
