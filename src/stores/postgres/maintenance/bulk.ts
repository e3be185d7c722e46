import type { QueryResultRow } from 'pg';
import type { BulkStore, BulkTable, LastIds } from '../../bulk.ts';
import {
  categoryTable,
  columnsOf,
  idempotencyTable,
  keyTable,
  orderTable,
  type TableForm,
} from '../../tables.ts';
import { type Environment, parseAddress } from '../address.ts';
import { arraysOf, insertStatement, petTable, selectPetRow } from '../rows.ts';
import { prepareDatabase, type PrepareOptions } from '../schema.ts';
import type { Query } from '../session.ts';
import { createSql, type Sql } from '../sessions.ts';

interface CommandOptions extends PrepareOptions {
  address: string;
  environment?: Environment;
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 120_000 };
const commitMs = 60_000;

/** Reads or writes all of a store, one transaction after another. */
export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const address = parseAddress(options.address, options.environment ?? {});
  await prepareDatabase(address, options);
  const sql = createSql(address, { readerCount: 1, timeouts, commitMs });
  return {
    pets: tableOf(sql, petTable, selectPetRow),
    keys: tableOf(sql, keyTable),
    orders: tableOf(sql, orderTable),
    categories: tableOf(sql, categoryTable),
    idempotencyRecords: tableOf(sql, idempotencyTable),
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
      await sql.write((query) => query(insertStatement(form), arraysOf(form, rows)));
    },
  };
}

/** Scale.md tells operators to start a new log in this way, too. */
const newEpoch = "UPDATE event_log SET epoch = replace(gen_random_uuid()::text, '-', '')";

async function beginLog(query: Query): Promise<void> {
  void query('DELETE FROM events');
  void query(newEpoch);
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
}

type Sequence = 'pet_ids' | 'order_ids' | 'api_key_ids';

/** The last id that was drawn; 0 if there is none. */
async function lastIdOf(query: Query, sequence: Sequence): Promise<bigint> {
  const select = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS id FROM ${sequence}`;
  const [row] = await query<{ id: string }>(select);
  return BigInt(row?.id ?? 0);
}

/** Makes new ids follow this one. Nobody draws any meanwhile, because a store that is copied to has no service. */
async function moveSequence(query: Query, sequence: Sequence, id: bigint): Promise<void> {
  if (id > (await lastIdOf(query, sequence)))
    await query(`SELECT setval('${sequence}'::regclass, $1::bigint)`, [String(id)]);
}
