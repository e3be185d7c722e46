import type { QueryResultRow } from 'pg';
import { keyTable } from '../../domain/api-key.ts';
import {
  columnsOf,
  idempotencyTable,
  type BulkStore,
  type BulkTable,
  type LastIds,
  type TableForm,
} from '../../domain/bulk-store.ts';
import { IdTakenError, unavailable } from '../../domain/error.ts';
import { importTable } from '../../domain/import-store.ts';
import { orderTable } from '../../domain/order.ts';
import { petFields, type Pet } from '../../domain/pet.ts';
import { openCommandConnection, type CommandOptions } from './command-connection.ts';
import { isIdTaken } from '../errors.ts';
import { columnOf, newPetArrays, petOf, selectPetRow, type PetRow } from '../pets/pet-row.ts';
import type { Connection, Values } from '../session/connection.ts';

/** Runs one statement, which is a transaction of its own. */
type Run = <Row extends QueryResultRow>(text: string, values?: Values) => Promise<Row[]>;

export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const connection = await openCommandConnection(options);
  const run = createRunner(connection);
  const table = createTableMaker(run);
  return {
    pets: table(petTable, { select: selectPetRow, sequence: 'pet_ids' }),
    keys: table(keyTable, {
      sequence: 'api_key_ids',
      alongside: 'UPDATE key_changes SET version = version + 1',
    }),
    orders: table(orderTable, { sequence: 'order_ids' }),
    idempotencyRecords: table(idempotencyTable),
    imports: table(importTable),
    lastIds: () => readLastIds(run),
    raiseLastIds: (ids) => raiseLastIds(run, ids),
    close: () => connection.close(),
  };
}

/** What PostgreSQL adds to a table. */
interface TableOptions {
  /** What is read, if not all columns. */
  select?: string;
  /** Draws the ids of new rows. It moves with each write, so that a copy cut short is a store that can be used. */
  sequence?: string;
  /** Another change of the same transaction. */
  alongside?: string;
}

function createRunner(connection: Connection): Run {
  return async (text, values = []) => {
    try {
      return await connection.query(text, values);
    } catch (error) {
      if (isIdTaken(error)) throw new IdTakenError('This id is taken already.', { cause: error });
      throw connection.isOpen ? error : unavailable(error);
    }
  };
}

function createTableMaker(run: Run) {
  return <Row, Stored extends QueryResultRow>(
    form: TableForm<Row, Stored>,
    options: TableOptions = {},
  ): BulkTable<Row> => {
    const { name, columns, keyLength, parse } = form;
    const valuesOf = (row: Row) =>
      form.valuesOf(row).map((value) => (typeof value === 'bigint' ? String(value) : value));
    const select = `SELECT ${options.select ?? columnsOf(form)} FROM ${name}`;
    // Text in the order of the bytes, as SQLite has it, not in that of the server's language.
    const key = Object.entries(columns)
      .slice(0, keyLength)
      .map(([column, type]) => `${name}.${column}${type === 'text' ? ' COLLATE "C"' : ''}`)
      .join(', ');
    return {
      async count() {
        const [row] = await run<{ count: string }>(`SELECT count(*) AS count FROM ${name}`);
        return Number(row?.count);
      },
      async read(after, limit) {
        const position = after === undefined ? [] : valuesOf(after).slice(0, keyLength);
        const places = position.map((_, index) => `$${index + 1}`).join(', ');
        const where = after === undefined ? '' : `WHERE (${key}) > (${places})`;
        const rows = await run<Stored>(`${select} ${where} ORDER BY ${key} LIMIT ${limit}`, position);
        return rows.map(parse);
      },
      async write(rows) {
        const values = rows.map(valuesOf);
        const arrays = Object.keys(columns).map((_, index) => values.map((row) => row[index] ?? null));
        await run(insertSql(form, options), arrays);
      },
    };
  };
}

/** Inserts rows that are given as one array for each column. */
function insertSql(
  { name, columns }: Pick<TableForm<never, never>, 'name' | 'columns'>,
  { sequence, alongside }: TableOptions,
): string {
  const names = columnsOf({ columns });
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const more = alongside ? `, alongside AS (${alongside} RETURNING 1)` : '';
  const last = sequence
    ? `SELECT setval('${sequence}', greatest(last_value, (SELECT max(id) FROM given))) FROM ${sequence}`
    : 'SELECT count(*) FROM inserted';
  return `
    WITH given AS (
      SELECT * FROM unnest(${arrays.join(', ')}) AS given (${names})
    ), inserted AS (
      INSERT INTO ${name} (${names}) SELECT * FROM given RETURNING 1
    ) ${more}
    ${last}`;
}

const petTable: TableForm<Pet, PetRow> = {
  name: 'pets',
  columns: {
    id: 'bigint',
    ...Object.fromEntries(petFields.map(({ name, type }) => [columnOf(name), type])),
    folded_name: 'text',
  },
  keyLength: 1,
  valuesOf: (pet) => [pet.id, ...newPetArrays([pet]).flat()],
  parse: petOf,
};

/** The last id that was drawn. */
const lastId = 'CASE WHEN is_called THEN last_value ELSE last_value - 1 END';

async function readLastIds(run: Run): Promise<LastIds> {
  const read = async (sequence: string): Promise<bigint> => {
    const [row] = await run<{ id: string }>(`SELECT (${lastId})::text AS id FROM ${sequence}`);
    return BigInt(row?.id ?? 0);
  };
  return { pets: await read('pet_ids'), orders: await read('order_ids') };
}

async function raiseLastIds(run: Run, { pets, orders }: LastIds): Promise<void> {
  const raise = (sequence: string, id: bigint) =>
    run(`SELECT setval('${sequence}', $1::bigint) FROM ${sequence} WHERE ${lastId} < $1::bigint`, [
      String(id),
    ]);
  await raise('pet_ids', pets);
  await raise('order_ids', orders);
  // Some of these pets may have been deleted; nobody knows which.
  await run('UPDATE deletions SET largest_pet_id = $1::bigint WHERE largest_pet_id < $1::bigint', [
    String(pets),
  ]);
}
