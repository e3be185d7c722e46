import type { Database, Statement as Prepared } from 'bun:sqlite';
import type { Dialect, InputRow, Statement, Value } from '../statement.ts';

/** SQLite has no row locks, and needs none: a transaction that writes holds the lock of the file. */
const rowLock = /\s+FOR UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g;
/** SQLite itself gives a row without an id the next one. If it had to read the last one, it would first copy all rows. */
const nextId = /\(SELECT coalesce\(max\(id\), 0\) FROM \w+\) \+ input\.place/;
/** SQLite inserts VALUES up to twice as fast as the rows of a SELECT. */
const insertOfInput = /^(INSERT INTO \w+ \([^)]*\))\s+SELECT\s([^]*)\sFROM input$/;
const inputColumn = /\binput\.(\w+)/g;

/** For one row of input, which is bound to `?1, ?2, …`. */
export function translate({ input, sql }: Statement): string {
  const columns = Object.keys(input);
  return simplified(sql)
    .replace(insertOfInput, '$1 VALUES ($2)')
    .replace(/\bIN \(SELECT (input\.\w+) FROM input\)/g, '= $1')
    .replace(/\s+FROM input\b/g, '')
    .replace(inputColumn, (_, column: string) => `?${columns.indexOf(column) + 1}`);
}

/** AUTOINCREMENT and a CHECK cost each statement about as much as a row does. */
const rowsAtOnce = 16;

/** An UPDATE of many rows first copies them, which takes longer than a statement for each. */
const isRowByRow = ({ sql }: Statement): boolean => sql.startsWith('UPDATE');

function translateForRows({ input, sql }: Statement): string {
  const columns = Object.keys(input);
  const rowsOf = (values: string): string =>
    Array.from({ length: rowsAtOnce }, (_, row) => {
      const first = row * columns.length + 1;
      return `(${values.replace(inputColumn, (__, column: string) => `?${first + columns.indexOf(column)}`)})`;
    }).join(', ');
  const translated = simplified(sql);
  const [, insert, values] = insertOfInput.exec(translated) ?? [];
  if (insert && values) return `${insert} VALUES ${rowsOf(values)}`;
  const names = columns.map((column) => `input.${column}`).join(', ');
  return `WITH input (${columns.join(', ')}) AS (VALUES ${rowsOf(names)}) ${translated}`;
}

/** Without what only PostgreSQL needs. */
function simplified(sql: string): string {
  return sql.replace(rowLock, '').replace(nextId, 'NULL');
}

export type Statements = ReturnType<typeof createStatements>;

/** Prepares statements on a connection, each on its first use. */
export function createStatements(database: Database) {
  const createCache = (toSql: (statement: Statement) => string) => {
    const cache = new WeakMap<Statement, Prepared<unknown, Value[]>>();
    return (statement: Statement) => {
      let query = cache.get(statement);
      if (!query) cache.set(statement, (query = database.query<unknown, Value[]>(toSql(statement))));
      return query;
    };
  };
  const prepareForRow = createCache(translate);
  const prepareForRows = createCache(translateForRows);
  const run = <Row>(statement: Statement, values: InputRow): Row[] =>
    prepareForRow(statement).all(...values) as Row[];

  return {
    run,
    each<Row>(statement: Statement, rows: readonly InputRow[]): Row[] {
      if (isRowByRow(statement)) return rows.flatMap((row) => run<Row>(statement, row));
      const results: Row[] = [];
      for (let start = 0; start < rows.length; start += rowsAtOnce) {
        const chunk = rows.slice(start, start + rowsAtOnce);
        if (chunk.length === rowsAtOnce)
          results.push(...(prepareForRows(statement).all(...chunk.flat()) as Row[]));
        else for (const row of chunk) results.push(...run<Row>(statement, row));
      }
      return results;
    },
  };
}

export const dialect: Dialect = {
  // As a row value, `(status, id) > (…)` would use the index for the status alone and walk all entries before a page.
  rangeOf(column, sort) {
    const [sign, suffix] = sort === 'oldest' ? ['>=', ''] : ['<=', ' DESC'];
    const start = `id ${sign} input.start`;
    if (column === undefined) return { where: start, orderBy: `id${suffix}` };
    return { where: `${column} = input.${column} AND ${start}`, orderBy: `${column}${suffix}, id${suffix}` };
  },
  // An expression, because SQLite plans a query again for each value of a bare parameter in LIMIT.
  limited: (select) => `${select} LIMIT input.size + 1`,
};
