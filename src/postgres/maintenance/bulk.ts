import type { QueryResultRow } from 'pg';
import type { ApiKey } from '../../domain/api-key.ts';
import type {
  BulkStore,
  BulkTable,
  IdempotencyRecord,
  ImportRecord,
  LastIds,
} from '../../domain/bulk-store.ts';
import { IdTakenError } from '../../domain/error.ts';
import { int64Range } from '../../domain/int64.ts';
import type { Order } from '../../domain/order.ts';
import { petFields, type Pet } from '../../domain/pet.ts';
import { openCommandConnection, type CommandOptions } from './command-connection.ts';
import { isIdTaken, unavailable } from '../errors.ts';
import { importColumns, importStateOf, type ImportRow } from './import.ts';
import { apiKeyOf, keyColumns, type KeyRow } from '../keys/keys.ts';
import { orderColumns, orderOf, type OrderRow } from '../pets/order-row.ts';
import { columnOf, newPetArrays, petOf, selectPetRow, type PetRow } from '../pets/pet-row.ts';
import type { Connection, Values } from '../session/connection.ts';

/** Runs one statement, which is a transaction of its own. */
type Run = <Row extends QueryResultRow>(text: string, values?: Values) => Promise<Row[]>;

export async function openPostgresBulk(options: CommandOptions): Promise<BulkStore> {
  const connection = await openCommandConnection(options);
  const run = createRunner(connection);
  const table = createTableMaker(run);
  return {
    pets: table(petTable),
    keys: table(keyTable),
    orders: table(orderTable),
    idempotencyRecords: table(idempotencyTable),
    imports: table(importTable),
    lastIds: () => readLastIds(run),
    raiseLastIds: (ids) => raiseLastIds(run, ids),
    close: () => connection.close(),
  };
}

/** How a table is read and written. `Stored` is a row as the driver gives it. */
interface TableForm<Row, Stored> {
  name: string;
  /** The rows behind a position, to be followed by a limit. */
  select: string;
  positionOf: (row: Row | undefined) => Values;
  parse: (stored: Stored) => Row;
  columns: Record<string, 'bigint' | 'text' | 'boolean'>;
  valuesOf: (row: Row) => (string | number | boolean | null)[];
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
  return <Row, Stored extends QueryResultRow>(form: TableForm<Row, Stored>): BulkTable<Row> => ({
    async count() {
      const [row] = await run<{ count: string }>(`SELECT count(*) AS count FROM ${form.name}`);
      return Number(row?.count);
    },
    async read(after, limit) {
      const rows = await run<Stored>(`${form.select} LIMIT ${limit}`, form.positionOf(after));
      return rows.map(form.parse);
    },
    async write(rows) {
      const values = rows.map(form.valuesOf);
      const arrays = Object.keys(form.columns).map((_, index) => values.map((row) => row[index] ?? null));
      await run(insertSql(form), arrays);
    },
  });
}

/** Inserts rows that are given as one array for each column. */
function insertSql<Row, Stored>({ name, columns, sequence, alongside }: TableForm<Row, Stored>): string {
  const names = Object.keys(columns).join(', ');
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

const smallestId = String(int64Range.smallest);

const petTable: TableForm<Pet, PetRow> = {
  name: 'pets',
  select: `SELECT ${selectPetRow} FROM pets WHERE id > $1::bigint ORDER BY id`,
  positionOf: (pet) => [pet ? String(pet.id) : smallestId],
  parse: petOf,
  columns: {
    id: 'bigint',
    ...Object.fromEntries(petFields.map(({ name, type }) => [columnOf(name), type])),
    folded_name: 'text',
  },
  valuesOf: (pet) => [String(pet.id), ...newPetArrays([pet]).flat()],
  sequence: 'pet_ids',
};

const keyTable: TableForm<ApiKey, KeyRow> = {
  name: 'api_keys',
  select: `SELECT ${keyColumns} FROM api_keys WHERE id > $1::bigint ORDER BY api_keys.id`,
  positionOf: (key) => [key?.id ?? smallestId],
  parse: apiKeyOf,
  columns: {
    id: 'bigint',
    name: 'text',
    hash: 'text',
    last_four: 'text',
    read_only: 'boolean',
    replaced_by: 'bigint',
    created_at: 'bigint',
    expires_at: 'bigint',
    revoked_at: 'bigint',
    last_used_at: 'bigint',
  },
  valuesOf: ({ id, name, hash, lastFour, isReadOnly, replacedBy, ...times }) => [
    id,
    name,
    hash,
    lastFour,
    isReadOnly,
    replacedBy ?? null,
    ...[times.createdAt, times.expiresAt, times.revokedAt, times.lastUsedAt].map(toMs),
  ],
  sequence: 'api_key_ids',
  alongside: 'UPDATE key_changes SET version = version + 1',
};

const orderTable: TableForm<Order, OrderRow> = {
  name: 'orders',
  select: `SELECT ${orderColumns} FROM orders WHERE id > $1::bigint ORDER BY id`,
  positionOf: (order) => [order ? String(order.id) : smallestId],
  parse: orderOf,
  columns: { id: 'bigint', pet_id: 'bigint', status: 'text', created_at: 'bigint', created_by: 'text' },
  valuesOf: ({ id, petId, status, createdAt, createdBy = null }) => [
    String(id),
    String(petId),
    status,
    createdAt.getTime(),
    createdBy,
  ],
  sequence: 'order_ids',
};

type RecordRow = Omit<IdempotencyRecord, 'petId' | 'createdAt'> & { petId: string; createdAt: string };

const idempotencyTable: TableForm<IdempotencyRecord, RecordRow> = {
  name: 'idempotency_keys',
  select: `
    SELECT caller, key, request_hash AS "requestHash", pet_id::text AS "petId", created_at AS "createdAt"
    FROM idempotency_keys WHERE (created_at, pet_id) > ($1::bigint, $2::bigint) ORDER BY created_at, pet_id`,
  positionOf: (record) => (record ? [record.createdAt.getTime(), String(record.petId)] : [-1, smallestId]),
  parse: ({ petId, createdAt, ...row }) => ({
    ...row,
    petId: BigInt(petId),
    createdAt: new Date(Number(createdAt)),
  }),
  columns: { caller: 'text', key: 'text', request_hash: 'text', pet_id: 'bigint', created_at: 'bigint' },
  valuesOf: ({ caller, key, requestHash, petId, createdAt }) => [
    caller,
    key,
    requestHash,
    String(petId),
    createdAt.getTime(),
  ],
};

const importTable: TableForm<ImportRecord, ImportRow & { source: string }> = {
  name: 'imports',
  // In the order of the bytes, as SQLite has it, not in that of the server's language.
  select: `
    SELECT source, ${importColumns} FROM imports WHERE source COLLATE "C" > $1 ORDER BY source COLLATE "C"`,
  positionOf: (record) => [record?.source ?? ''],
  parse: (row) => ({ source: row.source, ...importStateOf(row) }),
  columns: { source: 'text', added_count: 'bigint', finished_at: 'bigint' },
  valuesOf: ({ source, addedCount, finishedAt }) => [source, addedCount, toMs(finishedAt)],
};

function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}

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
