import { foldName } from '../../domain/fold.ts';
import { collectFields, fromText, type NewPet, type Pet, petFields, renderPet } from '../../domain/pet.ts';
import { columnsOf, type ColumnValue, type TableForm } from '../tables.ts';
import type { Statement } from './session.ts';

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

type Table<Row> = Pick<TableForm<Row, never>, 'name' | 'columns' | 'valuesOf'>;

/** The parameters of {@link arraysOf}: `$1::bigint[], $2::text[], …`. */
export function arrayParameters({ columns }: Table<never>): string {
  return Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(', ');
}

/** Rows as one array for each column, so that one statement takes any number of them. */
export function arraysOf<Row>({ columns, valuesOf }: Table<Row>, rows: readonly Row[]): StoredValue[][] {
  const stored = rows.map(valuesOf);
  return Object.keys(columns).map((_, index) => stored.map((values) => encode(values[index])));
}

type StoredValue = Exclude<ColumnValue, bigint>;

function encode(value: ColumnValue | undefined): StoredValue {
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}

export function insertStatement(table: Table<never>): Statement {
  const text = `INSERT INTO ${table.name} (${columnsOf(table).join(', ')}) SELECT * FROM unnest(${arrayParameters(table)})`;
  return { name: `insert-${table.name}`, text };
}

/** The same, with ids from a sequence, in the order of the rows. The ids of the rows are ignored. */
export function insertWithNewIds(table: Table<never>, sequence: string): Statement {
  const [id, ...others] = columnsOf(table);
  const columns = [id, ...others].join(', ');
  return {
    name: `insert-new-${table.name}`,
    text: `INSERT INTO ${table.name} (${columns})
      SELECT nextval('${sequence}'), ${others.join(', ')} FROM (
        SELECT * FROM unnest(${arrayParameters(table)}) WITH ORDINALITY AS given (${columns}, place) ORDER BY place
      ) AS in_order`,
  };
}
