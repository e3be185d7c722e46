import type { QueryResultRow } from 'pg';
import { IdTakenError, PetstoreError } from '../../../domain/error.ts';
import { importEvent } from '../../../domain/history.ts';
import { type Category, numberCategories, numbersForNewNames } from '../../../domain/category.ts';
import type { ImportedPet } from '../../../domain/pet.ts';
import type { BulkStore, BulkTable, ImportStep, ImportStore, LastIds } from '../../bulk.ts';
import {
  type CategoryRow,
  categoryTable,
  columnsOf,
  idempotencyTable,
  type ImportRow,
  importTable,
  keyTable,
  orderTable,
  type TableForm,
} from '../../tables.ts';
import { type Environment, parseAddress } from '../address.ts';
import {
  addEvents,
  arraysOf,
  insertStatement,
  insertWithNewIds,
  lockAllCategories,
  petTable,
  selectPetRow,
} from '../rows.ts';
import { prepareDatabase, type PrepareOptions } from '../schema.ts';
import type { Query, Values } from '../session.ts';
import { createSql, type Sql } from '../sessions.ts';
import { isIdTaken } from '../transaction.ts';

interface CommandOptions extends PrepareOptions {
  address: string;
  environment?: Environment;
}

/** Reads or writes all of a store. */
export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const sql = await openCommandSql(options);
  return {
    pets: tableOf(sql, petTable, selectPetRow),
    keys: tableOf(sql, keyTable),
    orders: tableOf(sql, orderTable),
    categories: tableOf(sql, categoryTable),
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

/** The sequence is no substitute: it also skips the ids of an uncommitted batch, which is then added again. */
const selectLargestId = `
  SELECT greatest((SELECT max(id) FROM pets), (SELECT nullif(largest_pet_id, 0) FROM deletions))::text AS id`;

/** Adds many pets at once. */
export async function openPostgresImport(options: CommandOptions): Promise<ImportStore> {
  const sql = await openCommandSql(options);

  const change = (text: string, values: Values): Promise<void> =>
    sql.write(async (query) => void query(text, values));

  return {
    async findImport(source) {
      const select = `SELECT ${columnsOf(importTable).join(', ')} FROM imports WHERE source = $1`;
      const [row] = await sql.search<ImportRow>(select, [source]);
      return row && importTable.parse(row);
    },

    addPets: (pets, step) =>
      sql.write(async (query) => {
        const added = await addTogether(query, pets, step);
        addEvents(query, [importEvent(pets.length, Date.now())]);
        return added;
      }),

    nameCategories: (categories) => sql.write(async (query) => nameCategories(query, categories)),

    finishImport: (source, finishedAt) =>
      change(
        `INSERT INTO imports (source, added_count, finished_at) VALUES ($1, 0, $2)
         ON CONFLICT (source) DO UPDATE SET finished_at = excluded.finished_at`,
        [source, finishedAt.getTime()],
      ),

    forgetImport: (source) => change('DELETE FROM imports WHERE source = $1', [source]),

    async largestId() {
      const [row] = await sql.search<{ id: string | null }>(selectLargestId);
      return row === undefined || row.id === null ? undefined : BigInt(row.id);
    },

    close: () => sql.close(),
  };
}

const timeouts = { lockMs: 10_000, statementMs: 60_000, silenceMs: 120_000 };
const commitMs = 60_000;

/** For a command that reads or writes many rows, one transaction after another. */
async function openCommandSql(options: CommandOptions): Promise<Sql> {
  const address = parseAddress(options.address, options.environment ?? {});
  await prepareDatabase(address, options);
  return createSql(address, { readerCount: 1, timeouts, commitMs });
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

/** Scale.md tells operators to start a new log in this way, too. */
const newEpoch = "UPDATE event_log SET epoch = replace(gen_random_uuid()::text, '-', '')";

async function beginLog(query: Query): Promise<void> {
  const [row] = await query<{ count: string }>('SELECT count(*) AS count FROM pets');
  addEvents(query, [importEvent(Number(row?.count), Date.now())]);
  void query('DELETE FROM events WHERE id < (SELECT max(id) FROM events)');
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
  // Some of these pets may have been deleted, and it is unknown which.
  const remember = 'UPDATE deletions SET largest_pet_id = $1::bigint WHERE largest_pet_id < $1::bigint';
  await query(remember, [last.pets]);
}

const insertNew = insertWithNewIds(petTable, 'pet_ids');
const insertKept = insertStatement(petTable);

async function addTogether(
  query: Query,
  pets: readonly ImportedPet[],
  step: ImportStep | undefined,
): Promise<Category[]> {
  if (step) await moveImport(query, step, pets.length);
  const categories = pets.some(({ categoryId }) => categoryId === undefined)
    ? await lockCategories(query)
    : [];
  const range = numbersForNewNames(pets, categories);
  const carried = range ? await readCarried(query, range) : [];
  const { pets: numbered, added } = numberCategories(pets, categories, new Set(carried));
  nameCategories(query, added);
  const rows = numbered.map((pet) => Object.assign({ id: 0n }, pet));
  const values = arraysOf(petTable, rows);
  const smallest = pets[0]?.id;
  if (smallest === undefined) {
    await query(insertNew, values);
  } else {
    await query(insertKept, values).catch(refuseTakenId);
    await refuseDeletedIds(query, smallest);
    await moveSequence(query, 'pet_ids', rows.at(-1)?.id ?? smallest);
  }
  return added;
}

/** So that no name gets two numbers, and no number two names. */
async function lockCategories(query: Query): Promise<Category[]> {
  await query(lockAllCategories);
  const rows = await query<CategoryRow>('SELECT id, name FROM categories ORDER BY id');
  return rows.map(categoryTable.parse);
}

async function readCarried(
  query: Query,
  { first, last }: { first: bigint; last: bigint },
): Promise<bigint[]> {
  const select =
    'SELECT DISTINCT category_id AS id FROM pets WHERE category_id BETWEEN $1::bigint AND $2::bigint';
  const rows = await query<{ id: string }>(select, [String(first), String(last)]);
  return rows.map(({ id }) => BigInt(id));
}

const insertCategories = `${insertStatement(categoryTable).text} ON CONFLICT (id) DO NOTHING`;

function nameCategories(query: Query, categories: readonly Category[]): void {
  if (categories.length > 0) void query(insertCategories, arraysOf(categoryTable, categories));
}

/** For rows that keep their ids, where another attempt would fail, too. */
function refuseTakenId(error: unknown): never {
  throw isIdTaken(error) ? new IdTakenError('This id is taken already.', { cause: error }) : error;
}

/**
 * The table alone would accept the id of a pet that was deleted after the import began. Call this after the insert,
 * which waits for a concurrent delete of an equal id to commit.
 */
async function refuseDeletedIds(query: Query, smallest: bigint): Promise<void> {
  const select = 'SELECT 1 FROM deletions WHERE largest_pet_id >= $1::bigint';
  const deleted = await query(select, [String(smallest)]);
  if (deleted.length > 0) throw new IdTakenError('This id was used before.');
}

async function moveImport(query: Query, { source, addedBefore }: ImportStep, count: number): Promise<void> {
  await query('INSERT INTO imports (source, added_count) VALUES ($1, 0) ON CONFLICT (source) DO NOTHING', [
    source,
  ]);
  const moved = await query(
    `UPDATE imports SET added_count = $3::bigint
     WHERE source = $1 AND added_count = $2::bigint AND finished_at IS NULL RETURNING 1`,
    [source, addedBefore, addedBefore + count],
  );
  if (moved.length !== 1)
    throw new PetstoreError('idempotency_conflict', 'Another process runs this import.');
}

type Sequence = 'pet_ids' | 'order_ids' | 'api_key_ids';

/** The last id that was drawn; 0 if there is none. */
async function lastIdOf(query: Query, sequence: Sequence): Promise<bigint> {
  const select = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS id FROM ${sequence}`;
  const [row] = await query<{ id: string }>(select);
  return BigInt(row?.id ?? 0);
}

/** More ids than others could draw between two statements. */
const farAway = 1_000_000n;

/**
 * Makes new ids follow this one. A running service draws ids at the same time, and `setval` could move the sequence
 * back behind them. So it is advanced by drawing ids, and set only across a distance that others cannot cover in the
 * meantime.
 */
async function moveSequence(query: Query, sequence: Sequence, id: bigint): Promise<void> {
  const missing = id - (await lastIdOf(query, sequence));
  if (missing > farAway) await query(`SELECT setval('${sequence}'::regclass, $1::bigint)`, [String(id)]);
  else if (missing > 0n) {
    const draw = `SELECT max(nextval('${sequence}'::regclass)) FROM generate_series(1, $1::bigint)`;
    await query(draw, [String(missing)]);
  }
}
