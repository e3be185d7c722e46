import type { ApiKey } from '../domain/api-key.ts';
import { type Category, renderCategory } from '../domain/category.ts';
import type { CurrentPet } from '../domain/decide.ts';
import { foldName } from '../domain/fold.ts';
import { type NewEvent, type Order, renderOrder } from '../domain/history.ts';
import { type TableName, tables } from './schema.ts';
import type { InputRow, Statement } from './statement.ts';

/** Whole rows of the tables: the values of the domain as rows, and the statements that write or read all columns. */

export function petRow([id, { pet, json }]: readonly [bigint, CurrentPet]): InputRow {
  return [id, json, pet.status ?? null, pet.categoryId, foldName(pet.name)];
}

export function orderRow(order: Order): InputRow {
  const { id, petId, status, createdAt, returnedAt } = order;
  return [id, renderOrder(order), petId, status, createdAt.getTime(), toMs(returnedAt)];
}

export function categoryRow(category: Category): InputRow {
  return [category.id, renderCategory(category)];
}

export function keyRow(key: ApiKey): InputRow {
  const { id, name, hash, lastFour, isReadOnly, mayDelete, createdAt } = key;
  const times = [createdAt, key.expiresAt, key.revokedAt, key.lastUsedAt].map(toMs);
  return [id, name, hash, lastFour, isReadOnly, mayDelete, ...times];
}

/** Without the id, which the statement assigns. */
export function eventRow({ json, type, petId, createdAt }: NewEvent): InputRow {
  return [json, type, petId ?? null, createdAt];
}

function toMs(time: Date | undefined): number | null {
  return time?.getTime() ?? null;
}

/** A row that a SELECT of {@link selectListOf} columns returns. */
export type KeyRow = Record<'id' | 'name' | 'hash' | 'last_four' | 'created_at', string> &
  Record<'read_only' | 'may_delete', 0 | 1> &
  Record<'expires_at' | 'revoked_at' | 'last_used_at', string | null>;

export function readKey(row: KeyRow): ApiKey {
  const timeOf = (ms: string | null) => (ms === null ? undefined : new Date(Number(ms)));
  const [expiresAt, revokedAt, lastUsedAt] = [row.expires_at, row.revoked_at, row.last_used_at].map(timeOf);
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    lastFour: row.last_four,
    isReadOnly: row.read_only === 1,
    mayDelete: row.may_delete === 1,
    createdAt: new Date(Number(row.created_at)),
    ...(expiresAt && { expiresAt }),
    ...(revokedAt && { revokedAt }),
    ...(lastUsedAt && { lastUsedAt }),
  };
}

/** The columns of a table in a SELECT: integers as text, which keeps every digit, and flags as 0 or 1. */
export function selectListOf(table: TableName): string {
  const texts = Object.entries(tables[table]).map(([name, type]) => {
    if (type === 'text') return name;
    return `CAST(${table}.${name} AS ${type === 'bigint' ? 'text' : 'integer'}) AS ${name}`;
  });
  return texts.join(', ');
}

/** Inserts whole rows. */
export function insertInto(table: TableName): Statement {
  const columns = tables[table];
  const names = Object.keys(columns);
  return {
    name: `insert-${table}`,
    input: columns,
    sql: `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => `input.${name}`).join(', ')} FROM input`,
  };
}

/** Replaces whole rows. */
export function updateOf(table: TableName): Statement {
  const columns = tables[table];
  const changes = Object.keys(columns)
    .filter((name) => name !== 'id')
    .map((name) => `${name} = input.${name}`);
  return {
    name: `update-${table}`,
    input: columns,
    sql: `UPDATE ${table} SET ${changes.join(', ')} FROM input WHERE ${table}.id = input.id`,
  };
}

export function deleteFrom(table: TableName): Statement {
  return {
    name: `delete-${table}`,
    input: { id: 'bigint' },
    sql: `DELETE FROM ${table} WHERE id IN (SELECT input.id FROM input)`,
  };
}
