import type { Database } from 'bun:sqlite';
import { renderCategory } from '../../domain/category.ts';
import { idsUsedUp, type PetstoreError, storeDamaged } from '../../domain/error.ts';
import { type NewEvent, type NewOrder, type OrderReturn, renderOrder } from '../../domain/history.ts';
import { foldName } from '../../domain/fold.ts';
import { int64Range } from '../../domain/int64.ts';
import { type NewPet, type Pet, renderPet, startOfPet } from '../../domain/pet.ts';
import type { LastIds } from '../bulk.ts';
import {
  categoryTable,
  columnsOf,
  type ColumnValue,
  eventTable,
  type OrderRow,
  orderTable,
  type TableForm,
} from '../tables.ts';

type Table = Pick<TableForm<never, never>, 'name' | 'columns'>;

/** The columns of a table, in the form that its `parse` expects. */
export function selectColumns({ columns }: Table): string {
  return Object.entries(columns)
    .map(([name, type]) => (type === 'bigint' ? `CAST(${name} AS TEXT) AS ${name}` : name))
    .join(', ');
}

export function insertSql(table: Table, rows = 1): string {
  const places = `(${Object.keys(table.columns).fill('?').join(', ')})`;
  return `INSERT INTO ${table.name} (${columnsOf(table).join(', ')}) VALUES ${Array(rows).fill(places).join(', ')}`;
}

/** AUTOINCREMENT, and a CHECK with IN, cost about as much per statement as a row does. */
const rowsPerInsert = 16;

/** Inserts rows within the caller's transaction, many with one statement. */
export function createInsert(
  database: Database,
  table: Table,
): (rows: readonly (readonly ColumnValue[])[]) => void {
  const one = database.query<unknown, ColumnValue[]>(insertSql(table));
  const many = database.query<unknown, ColumnValue[]>(insertSql(table, rowsPerInsert));
  return (rows) => {
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      const chunk = rows.slice(start, start + rowsPerInsert);
      if (chunk.length === rowsPerInsert) many.run(...chunk.flat());
      else for (const row of chunk) one.run(...row);
    }
  };
}

/**
 * Assigns ids to new rows: one more than the largest id ever used. The id is part of the JSON, so it is chosen before the
 * row is written, under the write lock.
 */
export function createIds(database: Database, table: keyof LastIds) {
  const readLast = createLastIdReader(database, table);
  let last: bigint | undefined;
  return {
    /** Call it at the start of every transaction that adds rows, because other processes may have added some. */
    begin() {
      last = undefined;
    },
    next(): bigint {
      last ??= readLast();
      if (last === int64Range.largest) throw idsUsedUp();
      return ++last;
    },
  };
}

/** Reads the largest id ever used, including those of deleted rows; 0 if there is none. */
function createLastIdReader(database: Database, table: keyof LastIds): () => bigint {
  const selectLast = database.query<{ id: string }, []>(
    `SELECT CAST(max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0),
       coalesce((SELECT max(id) FROM ${table}), 0)) AS TEXT) AS id`,
  );
  return () => BigInt(selectLast.get()?.id ?? 0);
}

export function readLastIds(database: Database): LastIds {
  return {
    pets: createLastIdReader(database, 'pets')(),
    orders: createLastIdReader(database, 'orders')(),
  };
}

/** Makes new ids follow these; never lowers them. Call it within a transaction. */
export function raiseLastIds(database: Database, ids: LastIds): void {
  const current = readLastIds(database);
  for (const table of ['pets', 'orders'] as const) {
    if (ids[table] <= current[table]) continue;
    database.query('DELETE FROM sqlite_sequence WHERE name = ?1').run(table);
    database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)').run(table, ids[table]);
  }
}

/** The checksum covers the row's JSON and reveals a flipped bit, as it does for a pet. */
export type Checked<Stored> = Stored & { checksum: string };

/** A form that returns undefined for a damaged row. */
export interface CheckedForm<Row, Stored> extends Omit<TableForm<Row, Stored>, 'parse'> {
  parse: (stored: Stored) => Row | undefined;
}

function withChecksum<Row, Stored>(form: TableForm<Row, Stored>, kind: Kind, render: (row: Row) => string) {
  const parse = (stored: Checked<Stored>): Row | undefined => {
    try {
      const row = form.parse(stored);
      return checksumOf(render(row)) === Number(stored.checksum) ? row : undefined;
    } catch {
      // A damaged id may not be a number, and a damaged time not a date.
      return undefined;
    }
  };
  const columns = { ...form.columns, checksum: 'bigint' } as const;
  return {
    ...form,
    columns,
    selected: selectColumns({ ...form, columns }),
    valuesOf: (row: Row) => [...form.valuesOf(row), checksumOf(render(row))],
    parse,
    /** Throws if the row is damaged. */
    jsonOf(stored: Checked<Stored>): string {
      const row = parse(stored);
      if (!row) throw damagedRow(kind, JSON.stringify(stored));
      return render(row);
    },
  };
}

export const storedOrders = withChecksum(orderTable, 'an order', renderOrder);
export const storedCategories = withChecksum(categoryTable, 'a category', renderCategory);

/** Writes orders within a transaction of a writing connection. */
export function createOrderWriter(database: Database) {
  const ids = createIds(database, 'orders');
  const insert = database.query<unknown, ColumnValue[]>(insertSql(storedOrders));
  const update = database.query<unknown, ColumnValue[]>(
    'UPDATE orders SET returned_at = ?2, returned_by = ?3, checksum = ?4 WHERE id = ?1',
  );
  const selectOpenOrders = database.query<Checked<OrderRow>, [bigint]>(
    `SELECT ${storedOrders.selected} FROM orders WHERE pet_id = ?1 AND returned_at IS NULL`,
  );
  return {
    add(orders: readonly NewOrder[]): void {
      ids.begin();
      for (const order of orders) insert.run(...storedOrders.valuesOf({ id: ids.next(), ...order }));
    },
    /** Marks every open order of the pet. */
    markReturned(petId: bigint, orderReturn: OrderReturn): void {
      for (const row of selectOpenOrders.all(petId)) {
        const order = storedOrders.parse(row);
        // Skip it: a new checksum would hide the damage.
        if (!order) continue;
        const { returnedAt, returnedBy = null } = orderReturn;
        const checksum = checksumOf(renderOrder({ ...order, ...orderReturn }));
        update.run(order.id, returnedAt.getTime(), returnedBy, checksum);
      }
    },
  };
}

/** Writes events within a transaction. SQLite assigns their ids under the write lock, each one more than the largest. */
export function createEventWriter(database: Database): (events: readonly NewEvent[]) => void {
  const insert = createInsert(database, eventTable);
  return (events) => insert(events.map(eventTable.valuesOf));
}

/** Starts a new, empty log. Cursors of the previous one are refused. */
export function beginLog(database: Database): void {
  database.run('DELETE FROM events');
  database.run('UPDATE event_log SET epoch = lower(hex(randomblob(8)))');
}

/**
 * A pet is stored as the JSON that callers get, rendered once, when it is written. A page only joins these texts, and
 * an int64 never passes through a JavaScript number. SQLite does not notice if a disk returns wrong bytes, so each text
 * has a checksum beside it.
 */
export interface RenderedPet {
  json: string;
  checksum: number;
}

/** The columns of a {@link RenderedPet}. */
export const storedPetColumns = 'json, checksum';
export const selectStoredPet = `CAST(id AS TEXT) AS id, ${storedPetColumns}`;

/** How pets are stored. Readers check each row. The last two columns are for searches; see `findPets`. */
export const storedPets = {
  name: 'pets',
  columns: {
    id: 'bigint',
    status: 'text',
    json: 'text',
    checksum: 'bigint',
    folded_name: 'text',
    category_id: 'bigint',
  },
  keyLength: 1,
  valuesOf: (pet: Pet) => rowOfPet(pet.id, pet, renderPet(pet.id, pet)),
} as const;

/** The values of the columns of {@link storedPets}. */
export function rowOfPet(id: bigint, { name, categoryId, status }: NewPet, json: string): ColumnValue[] {
  return [id, status ?? null, json, checksumOf(json), foldName(name), categoryId];
}

export function checksumOf(json: string): number {
  return Bun.hash.crc32(json);
}

/** Whether the text is undamaged and belongs to this id: the row's key may be damaged too. */
export function isIntact({ json, checksum }: RenderedPet, id: bigint | string): boolean {
  return checksumOf(json) === checksum && json.startsWith(startOfPet(id));
}

/** The pet's JSON. Throws if the row is damaged. */
export function verifiedPet(pet: RenderedPet, id: bigint | string): string {
  if (!isIntact(pet, id)) throw damagedRow('a pet', pet.json);
  return pet.json;
}

type Kind = 'a pet' | 'an order' | 'a category';

/** The error for a damaged row. The start of its text usually tells which one it is. */
export function damagedRow(kind: Kind, text: string): PetstoreError {
  return storeDamaged(
    new Error(
      `The database file is damaged: ${kind} in it is not as it was written (${text.slice(0, 40)}…). ` +
        'Put a backup in its place: petstore restore FILE --force',
    ),
  );
}
