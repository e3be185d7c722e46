import {
  collectFields,
  fromText,
  petFields,
  renderFields,
  renderPet,
  type NewPet,
  type Pet,
  type PetField,
  type PetFields,
} from '../../domain/pet.ts';

/** `category_id` for `categoryId`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Joins what is said of the column of each field. */
export function eachColumn(
  say: (column: string, field: PetField, index: number) => string,
  separator = ', ',
): string {
  return petFields.map((field, index) => say(columnOf(field.name), field, index)).join(separator);
}

export const fieldColumns = eachColumn((column) => column);
export const petColumns = `id, ${fieldColumns}`;

/** A pet as {@link selectPetRow} gives it. The driver hands over a bigint as text, so no digit of it is lost. */
export type PetRow = { id: string } & Record<keyof NewPet, string | null>;
export const selectPetRow = `id, ${eachColumn((column, { name }) => `${column} AS "${name}"`)}`;

/** The row's pet as JSON. */
export function petJsonOf(row: PetRow): string {
  return renderPet(row.id, renderFields(row));
}

export function petOf(row: PetRow): Pet {
  const fields = collectFields((field) => fromText(field, row[field.name] ?? undefined));
  return { id: BigInt(row.id), ...(fields as NewPet) };
}

/** The parameters of {@link petArrays}: `$1::text[], $2::bigint[], …`. */
export function arrayParameters(first: number): string {
  return eachColumn((_column, { type }, index) => `$${first + index}::${type}[]`);
}

/** One array for each field. Null stands for a field that is not given, empty text for one that is null. */
export function petArrays(pets: readonly PetFields[]): (string | null)[][] {
  return petFields.map(({ name }) =>
    pets.map(({ [name]: value }) => (value === null ? '' : (value?.toString() ?? null))),
  );
}
