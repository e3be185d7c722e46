import type { QueryResultRow } from 'pg';
import { keyTable } from '../../domain/api-key.ts';
import { columnsOf, type TableForm } from '../../domain/table.ts';
import { idempotencyTable } from '../../domain/idempotency.ts';
import type { BulkStore, BulkTable, LastIds } from '../../domain/bulk/bulk-store.ts';
import { importEvent } from '../../domain/event.ts';
import { IdTakenError } from '../../domain/error.ts';
import { importTable } from '../../domain/bulk/import-store.ts';
import { orderTable } from '../../domain/order.ts';
import { petFields } from '../../domain/fields.ts';
import type { Pet } from '../../domain/pet.ts';
import { isIdTaken, translateError } from '../errors.ts';
import { addEvents, forgetEarlierEvents } from '../events.ts';
import { openCommandSession, type CommandOptions, type CommandSession } from './command-session.ts';
import { columnOf, petArrays, petOf, selectPetRow, type PetRow } from '../pets/pet-row.ts';
import type { Query } from '../sessions/statement.ts';

type Run = CommandSession['run'];

export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const session = await openCommandSession(options);
  const run: Run = async (work) => {
    try {
      return await session.run(work);
    } catch (error) {
      if (isIdTaken(error)) throw new IdTakenError('This id is taken already.', { cause: error });
      throw translateError(error);
    }
  };
  return {
    pets: tableOf(run, petTable, { select: selectPetRow, sequence: 'pet_ids' }),
    keys: tableOf(run, keyTable, {
      sequence: 'api_key_ids',
      alongside: 'UPDATE key_changes SET version = version + 1',
    }),
    orders: tableOf(run, orderTable, { sequence: 'order_ids' }),
    idempotencyRecords: tableOf(run, idempotencyTable),
    imports: tableOf(run, importTable),
    lastIds: () => run(readLastIds),
    raiseLastIds: (ids) => run((query) => raiseLastIds(query, ids)),
    beginLog: () => run(beginLog),
    close: () => session.close(),
  };
}

/** What a table needs only in PostgreSQL. */
interface TableOptions {
  /** The columns to read, if not all of them. */
  select?: string;
  /** The sequence of the row ids. It moves with each write, so that an interrupted copy is still a usable store. */
  sequence?: string;
  /** Another statement for the same transaction. */
  alongside?: string;
}

function tableOf<Row, Stored extends QueryResultRow>(
  run: Run,
  form: TableForm<Row, Stored>,
  { select = columnsOf(form), sequence, alongside }: TableOptions = {},
): BulkTable<Row> {
  const { name, columns, keyLength, parse } = form;
  const types = Object.entries(columns);
  const valuesOf = (row: Row) =>
    form.valuesOf(row).map((value) => (typeof value === 'bigint' ? String(value) : value));
  // Sort text by bytes, as SQLite does, not by the server's locale.
  const key = types
    .slice(0, keyLength)
    .map(([column, type]) => `${name}.${column}${type === 'text' ? ' COLLATE "C"' : ''}`)
    .join(', ');
  const parameters = types.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  return {
    async count() {
      const count = `SELECT count(*) AS count FROM ${name}`;
      const [row] = await run((query) => query<{ count: string }>(count));
      return Number(row?.count);
    },
    async read(after, limit) {
      const position = after === undefined ? [] : valuesOf(after).slice(0, keyLength);
      const places = position.map((_, index) => `$${index + 1}`).join(', ');
      const where = after === undefined ? '' : `WHERE (${key}) > (${places})`;
      const page = `SELECT ${select} FROM ${name} ${where} ORDER BY ${key} LIMIT ${limit}`;
      return (await run((query) => query<Stored>(page, position))).map(parse);
    },
    async write(rows) {
      const values = rows.map(valuesOf);
      const arrays = types.map((_, index) => values.map((row) => row[index] ?? null));
      await run(async (query) => {
        await query(`INSERT INTO ${name} (${columnsOf(form)}) SELECT * FROM unnest(${parameters})`, arrays);
        if (sequence) await query(moveSequence(sequence, `(SELECT max(id) FROM ${name})`));
        if (alongside) await query(alongside);
      });
    },
  };
}

const petTable: TableForm<Pet, PetRow> = {
  name: 'pets',
  columns: {
    id: 'bigint',
    ...Object.fromEntries(petFields.map(({ name, type }) => [columnOf(name), type])),
    folded_name: 'text',
  },
  keyLength: 1,
  valuesOf: (pet) => [pet.id, ...petArrays([pet]).flat()],
  parse: petOf,
};

/** The last id that was drawn. */
const lastId = 'CASE WHEN is_called THEN last_value ELSE last_value - 1 END';

/** Makes new ids follow this one. */
function moveSequence(sequence: string, id: string): string {
  return `SELECT setval('${sequence}', ${id}) FROM ${sequence} WHERE ${lastId} < ${id}`;
}

async function beginLog(query: Query): Promise<void> {
  const [row] = await query<{ count: string }>('SELECT count(*) AS count FROM pets');
  addEvents(query, [importEvent(Number(row?.count), Date.now())]);
  forgetEarlierEvents(query);
}

async function readLastIds(query: Query): Promise<LastIds> {
  const read = async (sequence: string): Promise<bigint> => {
    const [row] = await query<{ id: string }>(`SELECT (${lastId})::text AS id FROM ${sequence}`);
    return BigInt(row?.id ?? 0);
  };
  return { pets: await read('pet_ids'), orders: await read('order_ids') };
}

async function raiseLastIds(query: Query, { pets, orders }: LastIds): Promise<void> {
  await query(moveSequence('pet_ids', '$1::bigint'), [String(pets)]);
  await query(moveSequence('order_ids', '$1::bigint'), [String(orders)]);
  // Some of these pets may have been deleted, and it is unknown which.
  const remember = 'UPDATE deletions SET largest_pet_id = $1::bigint WHERE largest_pet_id < $1::bigint';
  await query(remember, [String(pets)]);
}
