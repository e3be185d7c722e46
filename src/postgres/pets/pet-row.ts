import type { NewPet, Pet, PetStatus } from '../../domain/pet.ts';

/** A row of `pets`. The driver hands over a bigint as text, so no digit of it is lost. */
export interface PetRow {
  id: string;
  name: string;
  category_id: string;
  status: PetStatus | null;
}

export const petColumns = 'id, name, category_id, status';

/** The pet as JSON, the same bytes as `petJson`: an ETag must not depend on the query. */
export function petJsonOf({ id, name, category_id: categoryId, status }: PetRow): string {
  const statusField = status === null ? '' : `,"status":"${status}"`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}}`;
}

/** The row that a pet is stored in. */
export function petRowOf(id: string, { name, categoryId, status }: NewPet): PetRow {
  return { id, name, category_id: String(categoryId), status: status ?? null };
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
