import { columnsOf, type TableForm } from '../../domain/table.ts';

type Table = Pick<TableForm<never, never>, 'name' | 'columns'>;

/** The columns of a table, as its form parses them. */
export function selectColumns({ columns }: Table): string {
  const names = Object.entries(columns).map(([name, type]) =>
    type === 'bigint' ? `CAST(${name} AS TEXT) AS ${name}` : name,
  );
  return names.join(', ');
}

/** Adds rows of a table, one unless told otherwise. */
export function insertSql(table: Table, rows = 1): string {
  const places = `(${Object.keys(table.columns).fill('?').join(', ')})`;
  return `INSERT INTO ${table.name} (${columnsOf(table)}) VALUES ${Array(rows).fill(places).join(', ')}`;
}
