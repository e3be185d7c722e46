import { foldName } from '../../domain/fold.ts';
import { collectFields, fromText, petFields } from '../../domain/fields.ts';
import { renderFields, renderPet, type NewPet, type Pet } from '../../domain/pet.ts';

/** `category_id` for `categoryId`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const fieldColumns = petFields.map(({ name }) => columnOf(name)).join(', ');

/** A row of {@link selectPetRow}. The driver returns a bigint as text, so no digit is lost. */
export type PetRow = { id: string } & Record<keyof NewPet, string | null>;
export const selectPetRow = ['id', ...petFields.map(({ name }) => `${columnOf(name)} AS "${name}"`)].join(
  ', ',
);

export function petJsonOf(row: PetRow): string {
  return renderPet(row.id, renderFields(row));
}

export function petOf(row: PetRow): Pet {
  const fields = collectFields((field) => fromText(field, row[field.name] ?? undefined));
  return { id: BigInt(row.id), ...(fields as NewPet) };
}

/** The columns of a pet besides its id, including the folded name for searches. */
export const storedColumns = `${fieldColumns}, folded_name`;

/** The parameters of {@link petArrays}: `$2::text[], $3::bigint[], …`. */
export function petParameters(first: number): string {
  const types = [...petFields.map(({ type }) => type), 'text'];
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

/** One array for each of the {@link storedColumns}. */
export function petArrays(pets: readonly NewPet[]): (string | null)[][] {
  const fields = petFields.map(({ name }) => pets.map((pet) => pet[name]?.toString() ?? null));
  return [...fields, pets.map(({ name }) => foldName(name))];
}
