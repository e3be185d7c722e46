import { foldName } from '../../../domain/fold.ts';
import type { TableForm } from '../../tables.ts';
import { collectFields, fromText, type NewPet, type Pet, petFields, renderPet } from '../../../domain/pet.ts';

/** `category_id` for `categoryId`. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A row of {@link selectPetRow}. The driver returns a bigint as text, so no digit is lost. */
export type PetRow = { id: string } & Record<keyof NewPet, string | null>;
export const selectPetRow = ['id', ...petFields.map(({ name }) => `${columnOf(name)} AS "${name}"`)].join(
  ', ',
);
export const petRowTypes = {
  id: 'bigint',
  ...Object.fromEntries(petFields.map(({ name, type }) => [name, type])),
} as const;

export function petJsonOf(row: PetRow): string {
  return renderPet(row.id, row);
}

export function petOf(row: PetRow): Pet {
  const fields = collectFields((field) => fromText(field, row[field.name] ?? undefined));
  return { id: BigInt(row.id), ...(fields as NewPet) };
}

/** The folded name is for searches. */
export const petTable: TableForm<Pet, PetRow> = {
  name: 'pets',
  columns: {
    id: 'bigint',
    ...Object.fromEntries(petFields.map(({ name, type }) => [columnOf(name), type])),
    folded_name: 'text',
  },
  keyLength: 1,
  valuesOf: (pet) => [pet.id, ...petFields.map(({ name }) => pet[name] ?? null), foldName(pet.name)],
  parse: petOf,
};
