import type { QueryResultRow } from 'pg';
import {
  columnsOf,
  idempotencyTable,
  importTable,
  keyTable,
  orderTable,
  type TableForm,
} from '../../tables.ts';
import type { BulkStore, BulkTable, LastIds } from '../../bulk.ts';
import { importEvent } from '../../../domain/event.ts';
import { refuseTakenId } from '../errors.ts';
import { addEvents, forgetEarlierEvents } from '../events.ts';
import { type CommandOptions, openCommandSql } from './command-sql.ts';
import { lastIdOf, moveSequence } from './sequences.ts';
import { petTable, selectPetRow } from '../pets/pet-row.ts';
import { arraysOf, insertStatement } from '../rows.ts';
import type { Query } from '../session.ts';
import type { Sql } from '../sessions.ts';

export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const sql = await openCommandSql(options);
  return {
    pets: tableOf(sql, petTable, selectPetRow),
    keys: tableOf(sql, keyTable),
    orders: tableOf(sql, orderTable),
    idempotencyRecords: tableOf(sql, idempotencyTable),
    imports: tableOf(sql, importTable),
    lastIds: async () => ({
      pets: await lastIdOf(sql.search, 'pet_ids'),
      orders: await lastIdOf(sql.search, 'order_ids'),
    }),
    raiseLastIds: (ids) => sql.write((query) => raiseLastIds(query, ids)),
    beginLog: () => sql.write(beginLog),
    close: () => sql.close(),
  };
}

/** `selected` are the columns to read. */
function tableOf<Row, Stored extends QueryResultRow>(
  sql: Sql,
  form: TableForm<Row, Stored>,
  selected = columnsOf(form).join(', '),
): BulkTable<Row> {
  const { name, columns, keyLength, parse } = form;
  const types = Object.entries(columns);
  // Sort text by bytes, as SQLite does, not by the server's locale.
  const key = types
    .slice(0, keyLength)
    .map(([column, type]) => `${name}.${column}${type === 'text' ? ' COLLATE "C"' : ''}`)
    .join(', ');
  return {
    async count() {
      const count = `SELECT count(*) AS count FROM ${name}`;
      const [row] = await sql.search<{ count: string }>(count);
      return Number(row?.count);
    },
    async read(after, limit) {
      const position = after === undefined ? [] : arraysOf(form, [after]).slice(0, keyLength).flat();
      const places = position.map((_, index) => `$${index + 1}`).join(', ');
      const where = after === undefined ? '' : `WHERE (${key}) > (${places})`;
      const page = `SELECT ${selected} FROM ${name} ${where} ORDER BY ${key} LIMIT ${limit}`;
      return (await sql.search<Stored>(page, position)).map(parse);
    },
    async write(rows) {
      await sql.write((query) => query(insertStatement(form), arraysOf(form, rows)).catch(refuseTakenId));
    },
  };
}

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
