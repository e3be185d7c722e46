import type { CurrentPet, Writes } from '../../domain/change.ts';
import type { NewEvent } from '../../domain/history.ts';
import { foldName } from '../../domain/fold.ts';
import { collectFields, fromText, type NewPet, type Pet, petFields, renderPet } from '../../domain/pet.ts';
import {
  categoryTable,
  columnOf,
  columnsOf,
  type ColumnValue,
  eventTable,
  orderTable,
  type TableForm,
} from '../tables.ts';
import type { Query, Statement } from './session.ts';

/** A row of {@link selectPetRow}. The driver returns a bigint as text, so no digit is lost. */
export type PetRow = { id: string } & Record<keyof NewPet, string | null>;
export const selectPetRow = ['id', ...petFields.map(({ name }) => `${columnOf(name)} AS "${name}"`)].join(
  ', ',
);
export const petRowTypes = {
  id: 'bigint',
  ...Object.fromEntries(petFields.map(({ name, type }) => [name, type])),
} as const;

export function petJsonOf(row: PetRow): string {
  return renderPet(row.id, row);
}

export function petOf(row: PetRow): Pet {
  const fields = collectFields((field) => fromText(field, row[field.name] ?? undefined));
  return { id: BigInt(row.id), ...(fields as NewPet) };
}

/** The folded name is for searches. */
export const petTable: TableForm<Pet, PetRow> = {
  name: 'pets',
  columns: {
    id: 'bigint',
    ...Object.fromEntries(petFields.map(({ name, type }) => [columnOf(name), type])),
    folded_name: 'text',
  },
  keyLength: 1,
  valuesOf: (pet) => [pet.id, ...petFields.map(({ name }) => pet[name] ?? null), foldName(pet.name)],
  parse: petOf,
};

type Table<Row> = Pick<TableForm<Row, never>, 'name' | 'columns' | 'valuesOf'>;

/** The parameters of {@link arraysOf}: `$1::bigint[], $2::text[], …`. */
export function arrayParameters({ columns }: Table<never>): string {
  return Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(', ');
}

/** Rows as one array for each column, so that one statement takes any number of them. */
export function arraysOf<Row>({ columns, valuesOf }: Table<Row>, rows: readonly Row[]): StoredValue[][] {
  const stored = rows.map(valuesOf);
  return Object.keys(columns).map((_, index) => stored.map((values) => encode(values[index])));
}

type StoredValue = Exclude<ColumnValue, bigint>;

function encode(value: ColumnValue | undefined): StoredValue {
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}

export function insertStatement(table: Table<never>): Statement {
  const text = `INSERT INTO ${table.name} (${columnsOf(table).join(', ')}) SELECT * FROM unnest(${arrayParameters(table)})`;
  return { name: `insert-${table.name}`, text };
}

/** The same, with ids from a sequence, in the order of the rows. The ids of the rows are ignored. */
export function insertWithNewIds(table: Table<never>, sequence: string): Statement {
  const [id, ...others] = columnsOf(table);
  const columns = [id, ...others].join(', ');
  return {
    name: `insert-new-${table.name}`,
    text: `INSERT INTO ${table.name} (${columns})
      SELECT nextval('${sequence}'::regclass), ${others.join(', ')} FROM (
        SELECT * FROM unnest(${arrayParameters(table)}) WITH ORDINALITY AS given (${columns}, place) ORDER BY place
      ) AS in_order`,
  };
}

/** All of them, because a number without a name has no row to lock. Others may still read. */
export const lockAllCategories = 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE';

const insertPets = insertStatement(petTable);

const petColumns = columnsOf(petTable);
const changedColumns = petColumns.filter((column) => column !== 'id');
const updatePets = {
  name: 'update-pets',
  text: `UPDATE pets SET (${changedColumns.join(', ')}) = ROW (${changedColumns.map((column) => `changed.${column}`).join(', ')})
    FROM unnest(${arrayParameters(petTable)}) AS changed (${petColumns.join(', ')}) WHERE pets.id = changed.id`,
};

const deletePets = { name: 'delete-pets', text: 'DELETE FROM pets WHERE id = ANY ($1::bigint[])' };

const insertCategories = insertStatement(categoryTable);
const deleteCategories = {
  name: 'delete-categories',
  text: 'DELETE FROM categories WHERE id = ANY ($1::bigint[])',
};

/** For orders from before the batch. */
const returnOrders = {
  name: 'return-orders',
  text: `UPDATE orders SET returned_at = given.returned_at, returned_by = given.returned_by
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (pet_id, returned_at, returned_by)
    WHERE orders.pet_id = given.pet_id AND orders.returned_at IS NULL`,
};
const insertOrders = insertWithNewIds(orderTable, 'order_ids');

/** Nothing is awaited, so all of it travels with COMMIT. The keys are claimed already. */
export function write(query: Query, writes: Writes): void {
  const { inserted, changed, deleted, categories, returns, orders, events } = writes;
  if (inserted.size > 0) void query(insertPets, arraysOf(petTable, petsOf(inserted)));
  if (changed.size > 0) void query(updatePets, arraysOf(petTable, petsOf(changed)));
  if (deleted.size > 0) void query(deletePets, [Array.from(deleted, String)]);
  if (categories.size > 0) {
    void query(deleteCategories, [Array.from(categories.keys(), String)]);
    const named = [...categories.values()].filter((category) => category !== undefined);
    void query(insertCategories, arraysOf(categoryTable, named));
  }
  if (returns.size > 0) {
    const ids = Array.from(returns.keys(), String);
    const times = Array.from(returns.values(), ({ returnedAt }) => returnedAt.getTime());
    const callers = Array.from(returns.values(), ({ returnedBy = null }) => returnedBy);
    void query(returnOrders, [ids, times, callers]);
  }
  if (orders.length > 0) {
    const rows = orders.map((order) => Object.assign({ id: 0n }, order));
    void query(insertOrders, arraysOf(orderTable, rows));
  }
  addEvents(query, events);
}

function petsOf(pets: ReadonlyMap<bigint, CurrentPet>): Pet[] {
  return Array.from(pets, ([id, { pet }]) => ({ id, ...pet }));
}

/** "even" in ASCII. */
const eventLock = 0x6576656e;
const lockEvents = { name: 'lock-events', text: `SELECT pg_advisory_xact_lock(${eventLock})` };

/** A separate statement after the lock, so that it sees the newest event of the lock's previous holder. */
const insertEvents = {
  name: 'insert-events',
  text: `INSERT INTO events (${columnsOf(eventTable).join(', ')})
    SELECT (SELECT coalesce(max(id), 0) FROM events) + place, created_at, created_by, type, pet_id, json, previous
    FROM unnest(${arrayParameters(eventTable)}) WITH ORDINALITY AS given (${columnsOf(eventTable).join(', ')}, place)`,
};

/**
 * Sends a transaction's events after its other statements, together with COMMIT. Their lock is the last one taken: a
 * transaction becomes visible before it releases its locks, so ids ascend in commit order.
 */
export function addEvents(query: Query, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  void query(lockEvents);
  void query(insertEvents, arraysOf(eventTable, events));
}
