import type { QueryResultRow } from 'pg';
import { keyTable } from '../../domain/api-key.ts';
import { columnsOf, type TableForm } from '../../domain/table.ts';
import { idempotencyTable } from '../../domain/idempotency.ts';
import type { BulkStore, BulkTable, LastIds } from '../../domain/bulk/bulk-store.ts';
import { importEvent } from '../../domain/event.ts';
import { importTable } from '../../domain/bulk/import-store.ts';
import { orderTable } from '../../domain/order.ts';
import { petFields } from '../../domain/fields.ts';
import type { Pet } from '../../domain/pet.ts';
import { refuseTakenId } from '../errors.ts';
import { addEvents, forgetEarlierEvents } from '../events.ts';
import { openCommandSession, type CommandOptions, type CommandSession } from './command-session.ts';
import { lastIdOf, moveSequence } from './sequences.ts';
import { columnOf, petArrays, petOf, selectPetRow, type PetRow } from '../pets/pet-row.ts';
import type { Query } from '../sessions/session.ts';

type Run = CommandSession['run'];

export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const { run, close } = await openCommandSession(options);
  return {
    pets: tableOf(run, petTable, selectPetRow),
    keys: tableOf(run, keyTable),
    orders: tableOf(run, orderTable),
    idempotencyRecords: tableOf(run, idempotencyTable),
    imports: tableOf(run, importTable),
    lastIds: () =>
      run(async (query) => ({
        pets: await lastIdOf(query, 'pet_ids'),
        orders: await lastIdOf(query, 'order_ids'),
      })),
    raiseLastIds: (ids) => run((query) => raiseLastIds(query, ids)),
    beginLog: () => run(beginLog),
    close,
  };
}

/** `selected` are the columns to read. */
function tableOf<Row, Stored extends QueryResultRow>(
  run: Run,
  form: TableForm<Row, Stored>,
  selected = columnsOf(form),
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
      const page = `SELECT ${selected} FROM ${name} ${where} ORDER BY ${key} LIMIT ${limit}`;
      return (await run((query) => query<Stored>(page, position))).map(parse);
    },
    async write(rows) {
      const values = rows.map(valuesOf);
      const arrays = types.map((_, index) => values.map((row) => row[index] ?? null));
      const insert = `INSERT INTO ${name} (${columnsOf(form)}) SELECT * FROM unnest(${parameters})`;
      await run((query) => query(insert, arrays).catch(refuseTakenId));
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

async function beginLog(query: Query): Promise<void> {
  const [row] = await query<{ count: string }>('SELECT count(*) AS count FROM pets');
  addEvents(query, [importEvent(Number(row?.count), Date.now())]);
  forgetEarlierEvents(query);
}

const selectLastIds = `SELECT greatest($1::bigint, (SELECT max(id) FROM pets)) AS pets,
  greatest($2::bigint, (SELECT max(id) FROM orders)) AS orders,
  coalesce((SELECT max(id) FROM api_keys), 0) AS keys`;

/** Also covers the rows that are there: the sequences of the source may be behind its rows. */
async function raiseLastIds(query: Query, { pets, orders }: LastIds): Promise<void> {
  const [last] = await query<Record<'pets' | 'orders' | 'keys', string>>(selectLastIds, [
    String(pets),
    String(orders),
  ]);
  if (!last) throw new Error('The server returned no ids.');
  await moveSequence(query, 'pet_ids', BigInt(last.pets));
  await moveSequence(query, 'order_ids', BigInt(last.orders));
  await moveSequence(query, 'api_key_ids', BigInt(last.keys));
  // Some of these pets may have been deleted, and it is unknown which.
  const remember = 'UPDATE deletions SET largest_pet_id = $1::bigint WHERE largest_pet_id < $1::bigint';
  await query(remember, [last.pets]);
}
