import { OperatorError } from '../domain/error.ts';
import type { Report } from '../system/progress.ts';
import { beginLog } from './apply.ts';
import { insertInto, selectListOf } from './rows.ts';
import { type TableName, tables } from './schema.ts';
import {
  type DrawnTable,
  drawnTables,
  type InputRow,
  type Reader,
  type Statement,
  type Tx,
} from './statement.ts';

/** All tables of a store, for a command that reads or writes them whole. */
export interface StoreTables {
  scan: Reader['scan'];
  /** Runs a transaction. Its work does not wait for anything. */
  write(work: (tx: Tx) => void): Promise<void>;
  /** The largest id ever drawn, including those of deleted rows; 0 if there is none. */
  lastId(table: DrawnTable): Promise<bigint>;
  /** Makes new ids follow this one, unless a larger one was drawn. */
  raiseLastId(table: DrawnTable, id: bigint): Promise<void>;
  close(): Promise<void>;
}

/** Values as a SELECT of {@link selectListOf} columns returns them. */
export type StoredRow = Record<string, string | number | null>;

const rowsAtOnce = 2000;

/** All rows of a table in the order of its key, a batch at a time. */
export async function* readTable(
  { scan }: Pick<StoreTables, 'scan'>,
  table: TableName,
): AsyncGenerator<StoredRow[]> {
  const key = table === 'idempotency_keys' ? ['caller', 'key'] : ['id'];
  const columns: Statement['input'] = tables[table];
  const input = Object.fromEntries(Object.entries(columns).filter(([column]) => key.includes(column)));
  const select = `SELECT ${selectListOf(table)} FROM ${table}`;
  const end = `ORDER BY ${key.map((column) => `${table}.${column}`).join(', ')} LIMIT ${rowsAtOnce}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map((column) => `input.${column}`).join(', ')})`;
  const next: Statement = { input, sql: `${select} ${after} ${end}` };
  let rows = await scan<StoredRow>({ input: {}, sql: `${select} ${end}` }, []);
  while (rows.length > 0) {
    yield rows;
    rows = await scan<StoredRow>(next, valuesOf(rows.at(-1), input));
  }
}

/** The values of these columns. Integers come as text and become `bigint`. */
function valuesOf(row: StoredRow = {}, columns: Statement['input']): InputRow {
  return Object.entries(columns).map(([column, type]) => {
    const value = row[column] ?? null;
    return type === 'bigint' && value !== null ? BigInt(value) : value;
  });
}

export async function countRows({ scan }: Pick<StoreTables, 'scan'>, table: TableName): Promise<number> {
  const statement = { input: {}, sql: `SELECT CAST(count(*) AS text) AS count FROM ${table}` };
  const [row] = await scan<{ count: string }>(statement, []);
  return Number(row?.count);
}

/** Keys come last, so that nobody can use a partial copy. The log of events begins anew. */
const copiedTables = {
  pets: 'pets',
  orders: 'orders',
  categories: 'categories',
  idempotency_keys: 'idempotency keys',
  api_keys: 'API keys',
} as const satisfies Partial<Record<TableName, string>>;

type CopiedTable = keyof typeof copiedTables;
const order = Object.keys(copiedTables) as CopiedTable[];

/** Copies a store into an empty one, compares the numbers of rows and returns them in words. */
export async function copyStore(source: StoreTables, target: StoreTables, report: Report): Promise<string> {
  for (const table of order) await refuseFilled(target, table);
  // The newest pets may have been deleted: their ids must not be reused, not even in a copy that is interrupted.
  for (const table of drawnTables) await target.raiseLastId(table, await source.lastId(table));
  for (const table of order) await copyTable(source, target, table, report);
  await target.write(beginLog);
  const counts: string[] = [];
  for (const table of order) {
    const [before, after] = [await countRows(source, table), await countRows(target, table)];
    if (before !== after) throw notAlike(table, before, after);
    counts.push(`${after.toLocaleString('en')} ${copiedTables[table]}`);
  }
  return counts.join(', ');
}

async function refuseFilled(target: StoreTables, table: CopiedTable): Promise<void> {
  if ((await countRows(target, table)) === 0) return;
  throw new OperatorError(
    `The target already holds ${copiedTables[table]}, so nothing was written.`,
    'Choose an empty store with --to.',
  );
}

async function copyTable(
  source: StoreTables,
  target: StoreTables,
  table: CopiedTable,
  report: Report,
): Promise<void> {
  using progress = report.progress(copiedTables[table], await countRows(source, table));
  const insert = insertInto(table);
  // A row that is there already, from a service that runs, makes the counts differ.
  const statement = { ...insert, sql: `${insert.sql} WHERE true ON CONFLICT DO NOTHING` };
  for await (const rows of readTable(source, table)) {
    const values = rows.map((row) => valuesOf(row, insert.input));
    await target.write((tx) => void tx.each(statement, values));
    progress.add(rows.length);
  }
}

function notAlike(table: CopiedTable, before: number, after: number): OperatorError {
  return new OperatorError(
    `After the copy, the source holds ${before} ${copiedTables[table]}, and the target ${after}.`,
    'Stop the services of both stores, empty the target, and run the same command again.',
  );
}
