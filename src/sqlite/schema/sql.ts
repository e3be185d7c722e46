import { columnsOf, type TableForm } from '../../domain/table.ts';

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
