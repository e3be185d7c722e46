import { foldName } from '../../domain/fold.ts';
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

/** The columns of a new pet without its id, with the folded name for searches; and the parameters of {@link newPetArrays}. */
export const newPetColumns = `${fieldColumns}, folded_name`;
export const newPetParameters = (first: number): string =>
  `${arrayParameters(first)}, $${first + petFields.length}::text[]`;

/** Pets to insert: the arrays of their fields and of their folded names. */
export function newPetArrays(pets: readonly NewPet[]): (string | null)[][] {
  return [...petArrays(pets), pets.map(({ name }) => foldName(name))];
}

/** One array for each field. Null stands for a field that is not given, empty text for one that is null. */
export function petArrays(pets: readonly PetFields[]): (string | null)[][] {
  return petFields.map(({ name }) =>
    pets.map(({ [name]: value }) => (value === null ? '' : (value?.toString() ?? null))),
  );
}
