import { renderFields, renderPet, type NewPet, type Pet, type PetStatus } from '../../domain/pet.ts';

/** A row of `pets`. The driver hands over a bigint as text, so no digit of it is lost. */
export interface PetRow {
  id: string;
  name: string;
  category_id: string;
  status: PetStatus | null;
}

export const petColumns = 'id, name, category_id, status';

/** The row's pet as JSON. */
export function petJsonOf({ id, name, category_id: categoryId, status }: PetRow): string {
  return renderPet(id, renderFields({ name, categoryId, status }));
}

/** The pets as one array for each column but the id. */
export function petArrays(pets: readonly NewPet[]): (string | null)[][] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => String(categoryId)),
    pets.map(({ status }) => status ?? null),
  ];
}

export function petOf({ id, name, category_id: categoryId, status }: PetRow): Pet {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status !== null && { status }) };
}
