import type { Database } from 'bun:sqlite';
import type { ApiKey } from '../../domain/api-key.ts';
import type {
  BulkStore,
  BulkTable,
  IdempotencyRecord,
  ImportRecord,
  LastIds,
} from '../../domain/bulk-store.ts';
import { int64Range, parseExactJson } from '../../domain/int64.ts';
import type { MigrationOptions } from '../../domain/migration.ts';
import type { Order } from '../../domain/order.ts';
import { parseNewPet, type Pet } from '../../domain/pet.ts';
import { damaged, explain, isDamage, refuseMoved, translateAddError, translateError } from '../errors.ts';
import { createLastIdReader, raiseLastId } from '../ids.ts';
import { importColumns, importStateOf, type ImportRow } from './import.ts';
import { selectKeys, toApiKey, type KeyRow } from '../keys.ts';
import { openForReading, type ReadOnlyStore } from '../opening/read-only.ts';
import { openForWriting } from '../opening/writable.ts';
import { orderColumns, orderOf, orderRowColumns, orderValues, type OrderRow } from '../stored-order.ts';
import {
  isIntact,
  petColumns,
  petRow,
  storedPetColumns,
  type RenderedPet,
  type Value,
} from '../stored-pet.ts';

/** With `mayCreate`, makes a store that is missing and migrates an older one; otherwise either is an error. */
export async function openSqliteBulk(
  options: { path: string; mayCreate: boolean } & MigrationOptions,
): Promise<BulkStore> {
  const { path, mayCreate } = options;
  const { database, refuseChanged, close } = mayCreate ? openWhole(path, options) : openForReading(path);

  /** Runs a query, and then checks that the store is still in its place. */
  const attempt: Attempt = async (use, translate = translateError) => {
    try {
      const result = use();
      refuseChanged();
      return result;
    } catch (error) {
      throw isDamage(error) ? explain(error, path) : translate(error);
    }
  };

  const table = createTableMaker(database, attempt);
  try {
    return {
      pets: table(petTable(path)),
      keys: table(keyTable),
      orders: table(orderTable(path)),
      idempotencyRecords: table(idempotencyTable),
      imports: table(importTable),
      ...createLastIds(database, attempt),
      close: async () => close(),
    };
  } catch (error) {
    close();
    throw explain(error, path);
  }
}

type Attempt = <Result>(use: () => Result, translate?: (error: unknown) => unknown) => Promise<Result>;

function openWhole(name: string, options: MigrationOptions): ReadOnlyStore {
  const { store, database, close } = openForWriting(name, options);
  return { database, refuseChanged: () => refuseMoved(store), close };
}

/** How a table is read and written. `Stored` is a row as SQLite gives it. */
interface TableForm<Row, Stored> {
  name: string;
  /** The rows behind a position, as many as the last parameter says. */
  select: string;
  positionOf: (row: Row | undefined) => Value[];
  parse: (stored: Stored) => Row;
  columns: string;
  valuesOf: (row: Row) => Value[];
  translate?: (error: unknown) => unknown;
}

function createLastIds(database: Database, attempt: Attempt): Pick<BulkStore, 'lastIds' | 'raiseLastIds'> {
  const readPets = createLastIdReader(database, 'pets');
  const readOrders = createLastIdReader(database, 'orders');
  const raise = database.transaction(({ pets, orders }: LastIds) => {
    raiseLastId(database, 'pets', pets);
    raiseLastId(database, 'orders', orders);
  });
  return {
    lastIds: () => attempt(() => ({ pets: readPets(), orders: readOrders() })),
    raiseLastIds: (ids) => attempt(() => raise.immediate(ids)),
  };
}

function createTableMaker(database: Database, attempt: Attempt) {
  return <Row, Stored>(form: TableForm<Row, Stored>): BulkTable<Row> => {
    const { name, columns, positionOf, parse, valuesOf, translate } = form;
    const count = database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${name}`);
    const select = database.query<Stored, Value[]>(form.select);
    const places = columns.replace(/\w+/g, '?');
    const insert = database.query<unknown, Value[]>(`INSERT INTO ${name} (${columns}) VALUES (${places})`);
    const insertAll = database.transaction((rows: readonly Row[]) => {
      for (const row of rows) insert.run(...valuesOf(row));
    });
    return {
      count: () => attempt(() => count.get()?.count ?? 0),
      read: (after, limit) => attempt(() => select.all(...positionOf(after), limit).map(parse)),
      write: (rows) => attempt(() => insertAll.immediate(rows), translate),
    };
  };
}

const { smallest: smallestId } = int64Range;

function petTable(path: string): TableForm<Pet, RenderedPet & { id: string }> {
  return {
    name: 'pets',
    select: `SELECT CAST(id AS TEXT) AS id, ${storedPetColumns} FROM pets WHERE id > ? ORDER BY pets.id LIMIT ?`,
    positionOf: (pet) => [pet?.id ?? smallestId],
    parse({ id, ...pet }) {
      if (!isIntact(pet, id)) throw damaged(path);
      return { id: BigInt(id), ...parseNewPet(parseExactJson(pet.json)) };
    },
    columns: petColumns,
    valuesOf: (pet) => petRow(pet.id, pet),
    translate: translateAddError,
  };
}

function orderTable(path: string): TableForm<Order, OrderRow> {
  return {
    name: 'orders',
    select: `SELECT ${orderRowColumns} FROM orders WHERE id > ? ORDER BY orders.id LIMIT ?`,
    positionOf: (order) => [order?.id ?? smallestId],
    parse(row) {
      const order = orderOf(row);
      if (!order) throw damaged(path);
      return order;
    },
    columns: orderColumns,
    valuesOf: orderValues,
    translate: translateAddError,
  };
}

const keyTable: TableForm<ApiKey, KeyRow> = {
  name: 'api_keys',
  select: `${selectKeys} WHERE id > ? ORDER BY api_keys.id LIMIT ?`,
  positionOf: (key) => [key ? BigInt(key.id) : smallestId],
  parse: toApiKey,
  columns:
    'id, name, hash, last_four, read_only, replaced_by, created_at, expires_at, revoked_at, last_used_at',
  valuesOf: ({ id, name, hash, lastFour, isReadOnly, replacedBy, ...times }) => [
    BigInt(id),
    name,
    hash,
    lastFour,
    isReadOnly ? 1 : 0,
    replacedBy ?? null,
    ...[times.createdAt, times.expiresAt, times.revokedAt, times.lastUsedAt].map(toMs),
  ],
};

type RecordRow = Omit<IdempotencyRecord, 'petId' | 'createdAt'> & { petId: string; createdAt: number };

const idempotencyTable: TableForm<IdempotencyRecord, RecordRow> = {
  name: 'idempotency_keys',
  select: `
    SELECT caller, key, request_hash AS requestHash, CAST(pet_id AS TEXT) AS petId, created_at AS createdAt
    FROM idempotency_keys WHERE (created_at, pet_id) > (?, ?) ORDER BY created_at, pet_id LIMIT ?`,
  positionOf: (record) => [record?.createdAt.getTime() ?? -1, record?.petId ?? smallestId],
  parse: (row) => ({ ...row, petId: BigInt(row.petId), createdAt: new Date(row.createdAt) }),
  columns: 'caller, key, request_hash, pet_id, created_at',
  valuesOf: ({ caller, key, requestHash, petId, createdAt }) => [
    caller,
    key,
    requestHash,
    petId,
    createdAt.getTime(),
  ],
};

const importTable: TableForm<ImportRecord, ImportRow & { source: string }> = {
  name: 'imports',
  select: `SELECT source, ${importColumns} FROM imports WHERE source > ? ORDER BY source LIMIT ?`,
  positionOf: (record) => [record?.source ?? ''],
  parse: (row) => ({ source: row.source, ...importStateOf(row) }),
  columns: 'source, added_count, finished_at',
  valuesOf: ({ source, addedCount, finishedAt }) => [source, addedCount, toMs(finishedAt)],
};

function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}
