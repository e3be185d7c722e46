import type { Database } from 'bun:sqlite';
import { columnsOf, type ColumnValue, type TableForm } from '../../../domain/table.ts';

type Table = Pick<TableForm<never, never>, 'name' | 'columns'>;

/** The columns of a table, in the form that its `parse` expects. */
export function selectColumns({ columns }: Table): string {
  const names = Object.entries(columns).map(([name, type]) =>
    type === 'bigint' ? `CAST(${name} AS TEXT) AS ${name}` : name,
  );
  return names.join(', ');
}

export function insertSql(table: Table, rows = 1): string {
  const places = `(${Object.keys(table.columns).fill('?').join(', ')})`;
  return `INSERT INTO ${table.name} (${columnsOf(table)}) VALUES ${Array(rows).fill(places).join(', ')}`;
}

/** AUTOINCREMENT, and a CHECK with IN, cost about as much per statement as a row does. */
const rowsPerInsert = 16;

/** Inserts rows within the caller's transaction, many with one statement. */
export function createInsert(
  database: Database,
  table: Table,
): (rows: readonly (readonly ColumnValue[])[]) => void {
  const one = database.query<unknown, ColumnValue[]>(insertSql(table));
  const many = database.query<unknown, ColumnValue[]>(insertSql(table, rowsPerInsert));
  return (rows) => {
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      const chunk = rows.slice(start, start + rowsPerInsert);
      if (chunk.length === rowsPerInsert) many.run(...chunk.flat());
      else for (const row of chunk) one.run(...row);
    }
  };
}
