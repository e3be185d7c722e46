import { pageLimit } from '../store.ts';
import type { Dialect, InputRow, Statement } from '../statement.ts';
import type { Prepared, ParameterList } from './session.ts';

const preparedOf = new WeakMap<Statement, Prepared>();

/** Takes an array for each column, so one statement takes any number of rows. */
export function prepareForRows(statement: Statement): Prepared {
  let prepared = preparedOf.get(statement);
  if (!prepared) {
    const { name, input, sql } = statement;
    prepared = { name, text: `WITH input AS (SELECT * FROM ${unnest(input)}) ${sql}` };
    preparedOf.set(statement, prepared);
  }
  return prepared;
}

/** One query for many reads. Its rows have the `place` of their read, from 1. */
export function prepareForReads({ name, input, sql }: Statement): Prepared {
  const text = `SELECT input.place::integer AS place, result.*
    FROM ${unnest(input)} CROSS JOIN LATERAL (${sql}) AS result`;
  return { name, text };
}

/** Planned for its values, because a scan's plan depends on them. */
export function prepareForScan({ input, sql }: Statement): string {
  const columns = Object.keys(input);
  return sql.replace(
    /\binput\.(\w+)/g,
    (_, column: string) => `$${columns.indexOf(column) + 1}::${input[column]}`,
  );
}

function unnest(input: Statement['input']): string {
  const arrays = Object.values(input).map((type, index) => `$${index + 1}::${type}[]`);
  // Without a column, only one row makes sense.
  if (arrays.length === 0) return '(VALUES (1)) AS input (place)';
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS input (${[...Object.keys(input), 'place'].join(', ')})`;
}

/** An array for each column of these rows. */
export function arraysOf({ input }: Statement, rows: readonly InputRow[]): ParameterList {
  return Object.keys(input).map((_, index) => rows.map((row) => parameterOf(row[index])));
}

export function parameterOf(value: InputRow[number] | undefined): string | number | boolean | null {
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}

export const dialect: Dialect = {
  // With `status = input.status ORDER BY id`, the server may walk through all rows to find enough with a rare status. A
  // row value matches only the index of both columns.
  rangeOf(column, sort) {
    const isOldest = sort === 'oldest';
    const suffix = isOldest ? '' : ' DESC';
    if (column === undefined)
      return { where: `id ${isOldest ? '>=' : '<='} input.start`, orderBy: `id${suffix}` };
    return {
      where: isOldest
        ? `(${column}, id) >= (input.${column}, input.start) AND ${column} <= input.${column}`
        : `(${column}, id) <= (input.${column}, input.start) AND ${column} >= input.${column}`,
      orderBy: `${column}${suffix}, id${suffix}`,
    };
  },
  // The inner limit is a literal: without one, the server expects a tenth of the table.
  limited: (select) =>
    `SELECT * FROM (${select} LIMIT ${pageLimit.largest + 1}) AS longest LIMIT input.size + 1`,
};
